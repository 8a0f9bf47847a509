import t from 'tap'
import { Clock, type ClockStart, MACHINE_CLOCK } from '../../src/core/clock.js'
import { durationExpected, durationOf, LATEST_INSTANT } from '../../src/core/instants.js'
import { rows } from '../support/rows.js'

const DAY = 86_400_000

t.test("A05: the clock is the machine's, runs on from an instant, or is frozen", async t => {
  let machine = 5000
  const clocks = [
    MACHINE_CLOCK,
    { at: 1_000_000, running: true },
    { at: 1_000_000, running: false }
  ].map(start => new Clock(() => machine, start))
  const read = (at?: number) => clocks.map(clock => clock.now(at))
  t.strictSame(read(), [5000, 1_000_000, 1_000_000])

  machine = 5250
  t.strictSame(read(), [5250, 1_000_250, 1_000_000])
  t.strictSame(read(5100), [5100, 1_000_100, 1_000_000], 'at a time of the machine')
})

t.test('A05: a running clock stops at the latest instant that can be stored', async t => {
  let machine = 0
  const clock = new Clock(() => machine, { at: LATEST_INSTANT - 5, running: true })

  machine = 5
  t.equal(clock.now(), LATEST_INSTANT)
  machine = 6
  t.strictSame(
    [clock.now(), clock.reading],
    [LATEST_INSTANT, { at: LATEST_INSTANT, running: true }]
  )
})

t.test('A05: a clock started from the reading of another stays equal to it', async t => {
  // biome-ignore format: a table
  const cases: [title: string, start: ClockStart, later: ClockStart, now: [number, number]][] = [
    ["the machine's", MACHINE_CLOCK, { at: null, running: true }, [5250, 6000]],
    ['running', { at: 1_000_000, running: true }, { at: 1_000_250, running: true }, [1_000_250, 1_001_000]],
    ['frozen', { at: 1_000_000, running: false }, { at: 1_000_000, running: false }, [1_000_000, 1_000_000]],
    ['frozen in 1970', { at: 0, running: false }, { at: 0, running: false }, [0, 0]]
  ]
  for (const [title, start, reading, [first, second]] of cases) {
    let machine = 5000
    const clock = new Clock(() => machine, start)
    machine = 5250

    t.strictSame(clock.reading, reading, title)
    const copy = new Clock(() => machine, clock.reading)
    t.strictSame([clock.now(), copy.now(), copy.running], [first, first, clock.running], title)
    machine = 6000
    t.strictSame([clock.now(), copy.now()], [second, second], `${title}, later`)
  }
})

t.test('durations: a number with a unit, or ISO 8601, in milliseconds', async t => {
  const short =
    '0ms 0 | 0s 0 | 250ms 250 | 2s 2000 | 1.5s 1500 | 0.25s 250 | 0.4ms 0 | 0.5ms 1 | 10m 600000 | 36h 129600000'
  const iso =
    'PT0S 0 | PT2S 2000 | PT1.5S 1500 | PT1,5S 1500 | PT0.5H 1800000 | PT1M 60000 | PT36H 129600000'
  const days =
    '7d 7 | 007d 7 | P0.5D 0.5 | P1D 1 | P1DT12H 1.5 | P1W 7 | 36600d 36600 | P5228W 36596'
  for (const [text, ms] of rows<[text: string, ms: string]>(`${short} | ${iso}`))
    t.equal(durationOf(text), Number(ms), text)
  for (const [text, count] of rows<[text: string, count: string]>(days))
    t.equal(durationOf(text), Number(count) * DAY, text)
})

t.test('durations: invalid durations, and those above a hundred years', async t => {
  // biome-ignore format: a table
  const cases = [
    ...['', ' ', '5 s', ' 5s', '5s ', '5s\n', 'PT2S ', 'P 1D', `${'9'.repeat(400)}d`, `P${'9'.repeat(400)}D`],
    ...'5 s ms 5S +5s -5s .5s 5.s 1,5s 1e3s 0x5s ٥s 5sec 5w 5s5s 1h30m P PTS P1 PT1 P1S pt2s P-1D -P1D PT-5S P1D2 P1DT P1H PT1D P1W1Y P1M P1Y P0M P1Y2M3D p1m P0.5Y'.split(
      ' '
    ),
    ...'PT1S1M P1.D P.5D 2026-03-01 Infinityd NaNs __proto__ 36601d 878401h P5229W P9999999999D'.split(' ')
  ]
  for (const text of cases) t.equal(durationOf(text), null, JSON.stringify(text.slice(0, 40)))
  for (const form of ['250ms', '2s', '36h', '7d', 'PT36H']) {
    t.ok(durationExpected('soon').includes(form))
    t.ok(durationOf(form), `${form}, which the message names, is one`)
  }
})

t.test('durations: a hostile text is refused, whatever its length', async t => {
  for (const text of [
    '9'.repeat(1_000_000),
    `P${'1D'.repeat(500_000)}`,
    `${'1.'.repeat(500_000)}s`,
    `PT${'9'.repeat(1_000_000)}S`
  ]) {
    t.equal(durationOf(text), null, text.slice(0, 10))
    t.match(durationExpected(`${text} x`), /; got .{60}…$/)
  }
})
