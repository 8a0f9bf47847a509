import t from 'tap'
import {
  type Bounds,
  boundsOf,
  instantOf,
  instantProblem,
  isoOf,
  LATEST_INSTANT,
  parseInstant
} from '../../src/core/instants.js'
import { mapValues } from '../../src/reference/rules.js'
import { rows } from '../support/rows.js'

const DAY = 86_400_000
const EXPECTED =
  'must be an ISO 8601 date or date-time, such as 2026-03-01, 2026-03-01T18:00:00Z or 2026-03-01T20:00:00+02:00'
const digits = (value: number, length: number) => String(value).padStart(length, '0')

t.test('FILT-1 A05 A38: every ISO 8601 form that names an instant is read', async t => {
  const plain = `
    2026-03-01T18:00:05.123Z 2026-03-01T18:00:05.123Z | 2026-03-01T18:00:05Z 2026-03-01T18:00:05.000Z | 2026-03-01T18:00:05z 2026-03-01T18:00:05.000Z
    2026-03-01t18:00:05z 2026-03-01T18:00:05.000Z | 2026-03-01T18:00:05.5Z 2026-03-01T18:00:05.500Z | 2026-03-01T18:00:05,25Z 2026-03-01T18:00:05.250Z
    2026-03-01T18:00:05.123000000Z 2026-03-01T18:00:05.123Z | 2026-03-01T18:00Z 2026-03-01T18:00:00.000Z | 2026-03-01T18Z 2026-03-01T18:00:00.000Z
    20260301T180005Z 2026-03-01T18:00:05.000Z | 20260301T180005.123Z 2026-03-01T18:00:05.123Z | 20260301T1800Z 2026-03-01T18:00:00.000Z
    2026-03-01T180005Z 2026-03-01T18:00:05.000Z | 2026-03-01T18:00:05+02:00 2026-03-01T16:00:05.000Z | 2026-03-01T18:00:05-05:30 2026-03-01T23:30:05.000Z
    2026-03-01T18:00+0200 2026-03-01T16:00:00.000Z | 2026-03-01T18:00+02 2026-03-01T16:00:00.000Z | 2026-03-01T18:00-00:00 2026-03-01T18:00:00.000Z
    2026-03-01T18:00+23:59 2026-02-28T18:01:00.000Z | 2026-03-01T01:00+02:00 2026-02-28T23:00:00.000Z | 2026-12-31T24:00:00Z 2027-01-01T00:00:00.000Z
    2026-12-31T24:00:00.000Z 2027-01-01T00:00:00.000Z | 2026-12-31T24Z 2027-01-01T00:00:00.000Z | 1969-12-31T23:59:59.999Z 1969-12-31T23:59:59.999Z
    0000-01-01T00:00:00Z 0000-01-01T00:00:00.000Z | 9999-12-31T23:59:59.999Z 9999-12-31T23:59:59.999Z`
  const relying = `
    2026-03-01 2026-03-01T00:00:00.000Z | 20260301 2026-03-01T00:00:00.000Z | 2028-02-29 2028-02-29T00:00:00.000Z | 2000-02-29 2000-02-29T00:00:00.000Z
    0000-01-01 0000-01-01T00:00:00.000Z | 9999-12-31 9999-12-31T00:00:00.000Z
    2026-03-01T18:00 2026-03-01T18:00:00.000Z | 2026-03-01T18:00:05 2026-03-01T18:00:05.000Z | 20260301T180005 2026-03-01T18:00:05.000Z
    2026-060 2026-03-01T00:00:00.000Z | 2026060 2026-03-01T00:00:00.000Z | 2026-001T00:00:00Z 2026-01-01T00:00:00.000Z
    2026-365T12:00Z 2026-12-31T12:00:00.000Z | 2028366T1200+01 2028-12-31T11:00:00.000Z
    2026-W10-1 2026-03-02T00:00:00.000Z | 2026W101 2026-03-02T00:00:00.000Z | 2026-W10-7T18:00:05Z 2026-03-08T18:00:05.000Z
    2026-W01-1 2025-12-29T00:00:00.000Z | 2026-W53-7 2027-01-03T00:00:00.000Z | 1970-W01-4 1970-01-01T00:00:00.000Z
    2016-12-31T23:59:60Z 2017-01-01T00:00:00.000Z | 2016-12-31T18:59:60.5-05:00 2017-01-01T00:00:00.000Z | 2017-01-01T00:59:60+01 2017-01-01T00:00:00.000Z
    20161231T235960 2017-01-01T00:00:00.000Z | 0000-W01-1 0000-01-03T00:00:00.000Z | 9999-W52-5 9999-12-31T00:00:00.000Z`
  for (const [table, usesA38] of [[plain, false] as const, [relying, true] as const]) {
    for (const [text, iso] of rows<[text: string, iso: string]>(table)) {
      const instant = parseInstant(text)
      t.strictSame(
        instant && { ...instant, at: isoOf(instant.at) },
        { at: iso, isTruncated: false, usesA38 },
        text
      )
      t.equal(instantOf(text), Date.parse(iso), text)
    }
  }
})

t.test('A38: a fraction of up to 99 digits is read exactly, of a second', async t => {
  const exact = `
    18:00:59.1230000000000000000000000000000000000000Z 18:00:59.123 | 18:30.5Z 18:30:30.000 | 18:30.00005Z 18:30:00.003
    18.5Z 18:30:00.000 | 18.12345Z 18:07:24.420 | 18:30,25Z 18:30:15.000`
  const truncated = `
    18:00:59.000001Z 18:00:59.000 | 18:00:59.0009Z 18:00:59.000 | 18:00:59.9999999999999999999999999999999999999999Z 18:00:59.999
    18:00:59.1230000000000000000000000000000000000001Z 18:00:59.123 | 18:00:59.${'0'.repeat(98)}1Z 18:00:59.000 | 18:30.00001Z 18:30:00.000
    18,3333333333333333Z 18:19:59.999 | 18.000000277Z 18:00:00.000 | 18.000000278Z 18:00:00.001`
  const read = (text: string, iso: string, isTruncated: boolean) => {
    const instant = parseInstant(text)
    t.strictSame(
      instant && { ...instant, at: isoOf(instant.at) },
      { at: iso, isTruncated, usesA38: isTruncated },
      text.slice(0, 60)
    )
  }
  for (const [table, isTruncated] of [[exact, false] as const, [truncated, true] as const])
    for (const [text, time] of rows<[text: string, time: string]>(table))
      read(`2026-03-01T${text}`, `2026-03-01T${time}Z`, isTruncated)
  read('20260301T1830,25Z', '2026-03-01T18:30:15.000Z', false)
  read('1969-12-31T23:59:59.0005Z', '1969-12-31T23:59:59.000Z', true)
  read('9999-12-31T23:59:59.9999Z', '9999-12-31T23:59:59.999Z', true)
})

t.test('A38: calendar, ordinal and week dates agree on each day of 400 years', async t => {
  let [weekYear, week] = [1999, 52]
  let [at, weekday] = [Date.UTC(2000, 0, 1), 6]
  for (; at < Date.UTC(2400, 0, 1); at += DAY) {
    const iso = new Date(at).toISOString().slice(0, 10)
    const year = Number(iso.slice(0, 4))
    const ordinal = digits((at - Date.UTC(year, 0, 1)) / DAY + 1, 3)
    if (weekday === 1) {
      // the week of 4 January is the first of its year
      const isFirst =
        new Date(at + 3 * DAY).getUTCMonth() === 0 && new Date(at + 3 * DAY).getUTCDate() <= 7
      ;[weekYear, week] = isFirst
        ? [new Date(at + 3 * DAY).getUTCFullYear(), 1]
        : [weekYear, week + 1]
    }
    const named = [iso, iso.replaceAll('-', ''), `${year}-${ordinal}`, `${year}${ordinal}`]
    named.push(
      `${weekYear}-W${digits(week, 2)}-${weekday}`,
      `${weekYear}W${digits(week, 2)}${weekday}`
    )
    for (const text of named) if (instantOf(text) !== at) t.fail(`${text} is ${iso}`)
    weekday = (weekday % 7) + 1
  }
  t.equal(at, Date.UTC(2400, 0, 1))
})

t.test('FILT-1 A05: a text that is not an instant is refused', async t => {
  const refused = [
    '2026-02-29T00:00:00Z|2026-13-01T00:00:00.000Z|2026-00-10T10:00:00Z|2026-01-01T24:00:01Z|2026-01-01T00:60:00Z|| |today|26-03-01|2026-3-1|2026-02-29',
    '2027-02-29|2100-02-29|2026-13-01|2026-00-01|2026-04-31|2026-01-00|20260230|1767225600|1767225600000|1767225600.5|-1|0|202|202603|20260|202603011',
    '2026-03-|2026/03/01|01.03.2026|２０２６-03-01|2026-000|2026-366|2028-367|2026-60|2026000|2026-0601|2026-W00-1|2026-W54-1|2025-W53-1|2026-W10-0|2026-W10-8',
    '2026-W101|2026W10-1|2026-w10-1|2026-W1-1|2026-W10-|W10-1|T18:00|18:00|2026-03-01 18:00| 2026-03-01|2026-03-01 |2026-03-01\n|2026-03-01Z',
    '2026-03-01+02:00|2026-03T18:00|2026T18:00Z|2026-03-01T|2026-03-01TZ|2026-03-01T8:00|2026-03-01T25:00|2026-03-01T24:01|2026-03-01T24:00:01',
    '2026-03-01T24:00:00.0001|2026-03-01T24.1|2026-03-01T18:60|2026-03-01T23:58:60Z|2026-03-01T23:59:61Z|2026-03-01T24:59:60Z|2026-03-01T23:59:60+01:00|2026-03-01T18:0005|2026-03-01T1800:05|2026-03-01T18:00:',
    '2026-03-01T18:00:05.|2026-03-01T18:00:05.Z|2026-03-01T18:00:05.1.2Z|2026-03-01T18.5:00|2026-03-01T18:00:05.1e3Z|2026-03-01T18:00:05.-1Z',
    '2026-03-01TT18:00|2026-03-01T18:00T19:00|2026-03-01T18:00 02:00|2026-03-01T18:00Z+02:00|2026-03-01T18:00+24:00|2026-03-01T18:00+02:60',
    '2026-03-01T18:00+2|2026-03-01T18:00+|2026-03-01T18:00[Europe/Berlin]|2026-03-01T18:00 UTC|2026-03-01T18:00ZZ|2026-03-01T18:00Z ',
    'Sun, 01 Mar 2026 18:00:00 GMT|10000-01-01|+010000-01-01|-000001-01-01|9999-12-31T24:00:00Z|9999-12-31T23:30:00-01:00|9999-W52-6',
    `0000-01-01T00:00:00+01:00|0000-W00-7|2026-03-01T18:00:59.${'0'.repeat(100)}Z`
  ].flatMap(line => line.split('|'))
  for (const text of refused) {
    t.equal(parseInstant(text), null, JSON.stringify(text))
    t.equal(instantOf(text), null)
    t.equal(instantProblem(text).assumption, undefined, JSON.stringify(text))
  }
})

t.test('A38: a year, a month or a week alone is refused by the assumption', async t => {
  for (const text of '2026 0000 2026-03 2026-12 2026-W10 2026W10 2026-W53'.split(' ')) {
    t.equal(parseInstant(text), null, text)
    t.strictSame(instantProblem(text), {
      expected: `${EXPECTED}; ${text} is a whole year, month or week, not an instant`,
      assumption: 'A38'
    })
  }
  for (const text of [
    '2026-00',
    '2026-13',
    '2026-3',
    '202603',
    '2026-W00',
    '2026-W54',
    '2026-w10',
    '12026',
    '20',
    '2026-03\n',
    'yesterday'
  ])
    t.strictSame(instantProblem(text), { expected: EXPECTED }, text)
})

t.test('FILT-1: a space in place of a + is explained', async t => {
  const hint = `${EXPECTED}; the + of the offset arrived as a space: write it as %2B`

  for (const text of [
    '2026-03-01T18:00:00 02:00',
    '2026-03-01T18:00:00 0200',
    '2026-03-01T18:00 02',
    '2026-03-01t18:00:00.5 02:00'
  ])
    t.strictSame(instantProblem(text), { expected: hint }, text)
  for (const text of [
    '2026-03-01 18:00',
    '2026-03-01T18:00:00 UTC',
    '2026-03-01T18:00 2',
    '1767225600'
  ])
    t.strictSame(instantProblem(text), { expected: EXPECTED }, text)
})

t.test('FILT-1 FILT-2 FILT-3 FILT-4 A38: whole milliseconds compare as texts do', async t => {
  const before = Date.parse('2026-03-01T18:00:59.000Z')
  const fine = '2026-03-01T18:00:59.000001Z'
  const whole = '2026-03-01T18:00:59.000Z'
  const kept = ({ gte, gt, lte, lt }: Bounds<number>) =>
    [before - 1, before, before + 1].map(
      at =>
        (gte === undefined || at >= gte) &&
        (gt === undefined || at > gt) &&
        (lte === undefined || at <= lte) &&
        (lt === undefined || at < lt)
    )
  const bounds = (texts: object) => boundsOf(mapValues(texts, parseInstant) as never)
  const cases: [filter: Bounds<string>, kept: [boolean, boolean, boolean]][] = [
    [{}, [true, true, true]],
    [{ gte: whole }, [false, true, true]],
    [{ lt: whole }, [true, false, false]],
    ...[
      { gt: whole },
      { gte: fine },
      { gt: fine },
      { gte: whole, gt: fine },
      { gt: whole, gte: fine }
    ].map((filter): (typeof cases)[number] => [filter, [false, false, true]]),
    ...[{ lte: whole }, { lte: fine }, { lt: fine }, { lte: whole, lt: fine }].map(
      (filter): (typeof cases)[number] => [filter, [true, true, false]]
    ),
    [{ gte: whole, lt: fine }, [false, true, false]],
    [{ gte: fine, lt: fine }, [false, false, false]]
  ]
  for (const [filter, expected] of cases)
    t.strictSame(kept(bounds(filter)), expected, JSON.stringify(filter))
  t.strictSame(bounds({ gte: '2026-03-01', lt: whole }), {
    gte: Date.UTC(2026, 2, 1),
    gt: undefined,
    lte: undefined,
    lt: before
  })
  t.strictSame(bounds({ gte: '9999-12-31T23:59:59.9999Z' }).gte, LATEST_INSTANT + 1)
})

t.test('FILT-1: a hostile text is read, whatever its length', async t => {
  for (const text of [
    `2026-03-01T18:00:59.${'9'.repeat(1_000_000)}`,
    'T'.repeat(1_000_000),
    '9'.repeat(1_000_000),
    `2026-03-01T${' '.repeat(1_000_000)}02`,
    `${'-W'.repeat(500_000)}`
  ]) {
    parseInstant(text)
    instantProblem(text)
  }
  t.pass('all of them end')
})
