import t from 'tap'
import { Clock, type ClockStart, MACHINE_CLOCK } from '../../src/core/clock.js'
import { drawnFraction, drawnText } from '../../src/core/draws.js'
import { DURATION_EXPECTED, durationOf } from '../../src/core/durations.js'
import { LATEST_INSTANT } from '../../src/core/instants.js'
import { cpuTime } from '../support/cpu.js'

const DAY = 86_400_000

t.test('durations: a number with a unit, or ISO 8601, in milliseconds', async t => {
  const cases: [text: string, ms: number][] = [
    ['0ms', 0],
    ['0s', 0],
    ['250ms', 250],
    ['2s', 2000],
    ['1.5s', 1500],
    ['0.25s', 250],
    ['0.4ms', 0],
    ['0.5ms', 1],
    ['10m', 600_000],
    ['36h', 129_600_000],
    ['7d', 7 * DAY],
    ['007d', 7 * DAY],
    ['PT0S', 0],
    ['PT2S', 2000],
    ['PT1.5S', 1500],
    ['PT1M', 60_000],
    ['PT36H', 129_600_000],
    ['P1D', DAY],
    ['P1DT12H', 1.5 * DAY],
    ['P1W', 7 * DAY],
    ['P1M', 30 * DAY],
    ['P1Y', 365 * DAY],
    ['36600d', 36_600 * DAY],
    ['P100Y', 36_500 * DAY]
  ]
  for (const [text, ms] of cases) t.equal(durationOf(text), ms, text)
})

t.test('durations: what is no length of time up to a hundred years', async t => {
  const cases = [
    ...['', ' ', '5', 's', 'ms', '5S', '5 s', ' 5s', '5s ', '5s\n', '+5s', '-5s', '.5s', '5.s', '1,5s', '1e3s', '0x5s', '٥s', '5sec', '5w', '5s5s', '1h30m'],
    ...['P', 'PTS', 'P1', 'PT1', 'P1S', 'pt2s', 'P-1D', '-P1D', 'PT-5S', 'P1D2', 'PT2S ', 'P 1D', '2026-03-01', 'Infinityd', 'NaNs', '__proto__'],
    ...['36601d', '878401h', 'P101Y', 'P9999999999D', `${'9'.repeat(400)}d`, `P${'9'.repeat(400)}D`]
  ]
  for (const text of cases) t.equal(durationOf(text), null, JSON.stringify(text.slice(0, 40)))
  for (const form of ['250ms', '2s', '36h', '7d', 'PT36H']) {
    t.ok(DURATION_EXPECTED.includes(form))
    t.ok(durationOf(form), `${form}, which the message names, is one`)
  }
})

t.test('durations: a hostile text is read in good time', async t => {
  for (const text of ['9'.repeat(1_000_000), `P${'1D'.repeat(200_000)}`, `${'1.'.repeat(200_000)}s`, `PT${'9'.repeat(1_000_000)}S`]) {
    const begun = cpuTime()
    t.equal(durationOf(text), null, text.slice(0, 10))
    t.ok(cpuTime() - begun < 500, `${text.slice(0, 10)} in good time`)
  }
})

t.test('A03: a draw depends on the seed, the label and its number alone', async t => {
  const seeds = [0, 1, 2, 4_294_967_295]
  const labels = ['delay:scr_1', 'delay:scr_2', '']
  const numbers = [0, 1, 2, 1_000_000]
  const draws = seeds.flatMap(seed => labels.flatMap(label => numbers.map(n => [seed, label, n] as const)))

  const fractions = draws.map(draw => drawnFraction(...draw))
  const texts = draws.map(draw => drawnText(...draw, 24))

  t.strictSame(
    draws.toReversed().map(draw => drawnFraction(...draw)),
    fractions.toReversed(),
    'in whatever order they are drawn'
  )
  t.strictSame(
    draws.map(draw => drawnText(...draw, 24)),
    texts
  )
  t.equal(new Set(fractions).size, draws.length, 'seeds, labels and numbers draw apart')
  t.equal(new Set(texts).size, draws.length)
})

t.test('A03: fractions lie from 0 up to 1 and are spread evenly', async t => {
  const tenths = new Array(10).fill(0)

  for (let n = 0; n < 10_000; n++) {
    const fraction = drawnFraction(7, 'delay', n)
    if (!(fraction >= 0 && fraction < 1)) t.fail(`${fraction} lies outside`)
    tenths[Math.floor(fraction * 10)]++
  }

  for (const [tenth, count] of tenths.entries()) t.ok(count > 850 && count < 1150, `${count} in tenth ${tenth}`)
})

t.test('A03: a text has the length asked for, and a shorter one is the beginning of a longer one', async t => {
  const long = drawnText(1, 'ticket', 5, 64)

  t.ok(/^[A-Za-z0-9]{64}$/.test(long), long)
  for (const length of [0, 1, 8, 24, 63]) t.equal(drawnText(1, 'ticket', 5, length), long.slice(0, length))
})

t.test('A05: a running clock stops at the last instant that is kept', async t => {
  let machine = 0
  const clock = new Clock(() => machine, { at: LATEST_INSTANT - 5, running: true })

  machine = 5
  t.equal(clock.now(), LATEST_INSTANT)
  machine = 6
  t.strictSame([clock.now(), clock.reading], [LATEST_INSTANT, { at: LATEST_INSTANT, running: true }])
})

t.test('A05: a clock started from the reading of another reads what that one reads', async t => {
  const cases: [title: string, start: ClockStart, later: ClockStart, now: [number, number]][] = [
    ["the machine's", MACHINE_CLOCK, { at: null, running: true }, [5250, 6000]],
    ['running', { at: 1_000_000, running: true }, { at: 1_000_250, running: true }, [1_000_250, 1_001_000]],
    ['standing', { at: 1_000_000, running: false }, { at: 1_000_000, running: false }, [1_000_000, 1_000_000]],
    ['standing in 1970', { at: 0, running: false }, { at: 0, running: false }, [0, 0]]
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
