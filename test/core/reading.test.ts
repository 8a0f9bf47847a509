import t from 'tap'
import { checkerOf, pathOf, problemAt } from '../../src/core/checking.js'
import { FORMATS } from '../../src/core/formats.js'
import { instantOf, instantProblem, isoOf } from '../../src/core/instants.js'
import { didYouMean, nearest, sentence } from '../../src/core/nearest.js'
import { masked } from '../../src/core/redaction.js'
import {
  flattened,
  nested,
  processSettingProblem,
  SETTING_KEYS,
  SETTINGS,
  type SettingKey,
  scenarioPathOf,
  settingsInForce,
  settingsSchema,
  variableOf
} from '../../src/core/settings.js'
import { cpuTime } from '../support/cpu.js'

t.test('FILT-1 A05: instants are dates and date-times, in UTC unless they say otherwise', async t => {
  const read: [text: string, iso: string][] = [
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['20260301', '2026-03-01T00:00:00.000Z'],
    ['2026-03-01T18:00', '2026-03-01T18:00:00.000Z'],
    ['2026-03-01T18:00:05', '2026-03-01T18:00:05.000Z'],
    ['2026-03-01T18:00:05Z', '2026-03-01T18:00:05.000Z'],
    ['2026-03-01T18:00:05z', '2026-03-01T18:00:05.000Z'],
    ['2026-03-01T18:00:05.5Z', '2026-03-01T18:00:05.500Z'],
    ['2026-03-01T18:00:05,25Z', '2026-03-01T18:00:05.250Z'],
    ['2026-03-01T18:00:05.123Z', '2026-03-01T18:00:05.123Z'],
    ['2026-03-01T18:00:05+02:00', '2026-03-01T16:00:05.000Z'],
    ['2026-03-01T18:00:05-05:30', '2026-03-01T23:30:05.000Z'],
    ['2026-03-01T18:00+0200', '2026-03-01T16:00:00.000Z'],
    ['2026-03-01T18:00+02', '2026-03-01T16:00:00.000Z'],
    ['2026-03-01T01:00+02:00', '2026-02-28T23:00:00.000Z'],
    ['20260301T180005Z', '2026-03-01T18:00:05.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['2026-12-31T24:00:00Z', '2027-01-01T00:00:00.000Z'],
    ['0000-01-01', '0000-01-01T00:00:00.000Z'],
    ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z']
  ]
  for (const [text, iso] of read) {
    const at = instantOf(text)
    t.equal(at === null ? null : isoOf(at), iso, text)
  }
})

t.test('FILT-1 A05: what is no ISO 8601 date or date-time is no instant', async t => {
  const refused = [
    ...['', ' ', 'today', '2026', '2026-03', '26-03-01', '2026-3-1', '2026-02-29', '2027-02-29', '2100-02-29', '2026-13-01', '2026-00-01', '2026-04-31'],
    ...['1767225600', '1767225600000', '1767225600.5', '-1', '2026-W10-1', '2026-060', 'T18:00', '18:00', '2026-03-01 18:00', ' 2026-03-01', '2026-03-01 '],
    ...['2026-03-01T', '2026-03-01T25:00', '2026-03-01T24:01', '2026-03-01T18:60', '2026-03-01T23:59:60Z', '2026-03-01T18:00 02:00', '2026-03-01T18:00Z+02:00'],
    ...['2026-03-01T18:00+24:00', '2026-03-01T18:00+02:60', '2026-03-01T18:00[Europe/Berlin]', '2026-03-01T18:00 UTC', '2026-03-01t18:00', '2026/03/01'],
    ...['10000-01-01', '+010000-01-01', '-000001-01-01', '9999-12-31T24:00:00Z', '9999-12-31T23:30:00-01:00', '0000-01-01T00:00:00+01:00', '２０２６-03-01']
  ]
  for (const text of refused) t.equal(instantOf(text), null, JSON.stringify(text))
})

t.test('FILT-1: a space where a + was meant is told so', async t => {
  const told = (text: string) => instantProblem(text).includes('%2B')
  const plain = 'an ISO 8601 date or date-time was expected, such as 2026-03-01 or 2026-03-01T18:00:00Z'

  t.equal(instantProblem('yesterday'), plain)
  t.equal(instantProblem('2026-03-01T18:00:00 02:00'), `${plain}; the space stands where a + was meant: write the offset's + as %2B`)
  t.equal(told('2026-03-01T18:00:00 0200'), true)
  for (const text of ['2026-03-01 18:00', '2026-03-01T18:00:00 UTC', '1767225600']) t.equal(told(text), false, text)
})

t.test('formats: what each holds, refuses, keeps and says', async t => {
  const cases: { format: keyof typeof FORMATS; holds: string[]; refuses: string[] }[] = [
    {
      format: 'email',
      holds: ['ana@bistro.example', 'a.b+c@d.co', "o'neil@example.com", 'A@B.CO', '1@2.co'],
      refuses: ['', 'ana', 'ana@', '@b.co', 'ana@b', 'a b@c.co', 'a@b..co', 'a@b.co ', 'a@b.co\n', 'a@b,co', 'Ana <a@b.co>', 'a..b@c.co', '.a@b.co']
    },
    { format: 'country', holds: ['US', 'us', 'gB', 'DE', 'SS'], refuses: ['', 'U', 'USA', 'XX', 'UK', 'U1', 'US ', 'ß', 'ıt', 'ſe', '__proto__'] },
    { format: 'currency', holds: ['usd', 'eur', 'jpy'], refuses: ['', 'USD', 'Usd', 'us', 'usdd', 'zzz', '840', '$', 'toString'] },
    { format: 'instant', holds: ['2026-03-01', '2026-03-01T00:00:00Z'], refuses: ['', 'now', '1767225600'] },
    { format: 'last4', holds: ['4242', '0000'], refuses: ['', '424', '42424', '424a', '4 42', '4242\n', '４２４２'] }
  ]
  for (const { format, holds, refuses } of cases) {
    for (const value of holds) t.equal(FORMATS[format].holds(value), true, `${format} holds ${value}`)
    for (const value of refuses) t.equal(FORMATS[format].holds(value), false, `${format} refuses ${JSON.stringify(value)}`)
    for (const value of refuses) t.ok(FORMATS[format].expected(value).length > 10)
  }
  t.strictSame(Object.keys(FORMATS).sort(), cases.map(({ format }) => format).sort())
  t.equal(FORMATS.country.kept?.('us'), 'US', 'A30: returned upper case')
  t.equal(FORMATS.email.kept, undefined)
  t.equal(FORMATS.currency.expected('USD'), 'the code is written in lower case: usd')
  t.equal(FORMATS.currency.expected('zzz'), 'a three-letter ISO 4217 currency code in lower case was expected, such as usd')
  t.equal(FORMATS.country.expected('XX'), 'a two-letter ISO 3166-1 country code was expected, such as US')
  t.equal(FORMATS.email.expected('x'), 'an e-mail address was expected, such as ana@example.com')
  t.equal(FORMATS.last4.expected('x'), 'four digits were expected, such as 4242')
  t.equal(FORMATS.instant.expected('x'), instantProblem('x'))
})

t.test('USR-3: a hostile address is judged in good time', async t => {
  const begun = cpuTime()
  for (const text of [`a@${'a'.repeat(50_000)}`, `a@${'a.'.repeat(25_000)}`, `${'a.'.repeat(25_000)}@`, `a@${'a-'.repeat(25_000)}.`])
    t.equal(FORMATS.email.holds(text), false)
  t.ok(cpuTime() - begun < 1000)
})

/** A number of so many digits whose last makes the Luhn checksum hold. */
function luhn(start: string): string {
  for (let last = 0; last < 10; last++) {
    const digits = `${start}${last}`
    const sum = [...digits].reverse().reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
      return total + (value > 9 ? value - 9 : value)
    }, 0)
    if (sum % 10 === 0) return digits
  }
  throw new Error('one of ten always fits')
}

t.test('A25: a Luhn-valid number of 13 to 19 digits is masked, and no shorter or longer one as a whole', async t => {
  for (let length = 13; length <= 19; length++) {
    const number = luhn('4929387261053847291'.slice(0, length - 1))
    t.equal(number.length, length)
    t.equal(masked(`card ${number}.`), `card ${'*'.repeat(length)}.`, `${length} digits`)
  }
  const short = luhn('49293872610')
  t.equal(short.length, 12)
  t.equal(masked(short), short)
})

t.test('A25: a number is masked wherever it stands and however it is grouped', async t => {
  const cases: [text: string, shown: string][] = [
    ['4242424242424242', '****************'],
    ['4242 4242 4242 4242', '**** **** **** ****'],
    ['4242-4242-4242-4242', '****-****-****-****'],
    ['3782 822463 10005', '**** ****** *****'],
    ['4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2', '* * * * * * * * * * * * * * * *'],
    ['"number":"4242424242424242","csc":"123"', '"number":"****************","csc":"123"'],
    ['a4242424242424242b', 'a****************b'],
    ['4242424242424242 and 5555555555554444', '**************** and ****************'],
    ['4242424242424242,5555555555554444', '****************,****************']
  ]
  for (const [text, shown] of cases) t.equal(masked(text), shown, text)
})

t.test('A25: inside a longer run of digits no digit of a Luhn-valid stretch is shown', async t => {
  const number = '4242424242424242'
  for (const before of ['', '1', '20', '%20', '0x', '7'.repeat(5), '9'.repeat(30)]) {
    for (const after of ['', '1', '99', '%20', '0'.repeat(25)]) {
      const shown = masked(`${before}${number}${after}`)
      t.equal(shown.length, before.length + number.length + after.length)
      t.equal(shown.slice(before.length, before.length + number.length), '*'.repeat(16), `${before}…${after} ${shown}`)
    }
  }
  t.equal(masked('%204242424242424242').slice(0, 2), '%2', 'the percent-encoding before it is still readable')
})

t.test('A25: overlapping stretches are masked whole', async t => {
  let overlaps = 0
  for (let seed = 1; seed <= 300; seed++) {
    const run = Array.from({ length: 24 }, (_, index) => (seed * 7919 * (index + 3) * (index + 11)) % 10).join('')
    const shown = masked(run)
    const expected = [...run]
    for (let start = 0; start < run.length; start++) {
      for (let length = 13; length <= 19 && start + length <= run.length; length++) {
        const stretch = run.slice(start, start + length)
        if (luhn(stretch.slice(0, -1)) !== stretch) continue
        overlaps++
        expected.fill('*', start, start + length)
      }
    }
    if (shown !== expected.join('')) t.fail(`${run} ${shown}`)
    const grouped = masked(run.replace(/\d{4}(?=\d)/g, '$& '))
    if (grouped.replaceAll(' ', '') !== shown) t.fail(`${run} ${grouped}`)
  }
  t.ok(overlaps > 300)
})

t.test('A25: a body full of digits is masked in good time', async t => {
  const begun = cpuTime()

  t.equal(masked('0'.repeat(1_000_000)), '*'.repeat(1_000_000))
  t.equal(masked('8377835337406812-'.repeat(60_000)).length, 17 * 60_000)

  t.ok(cpuTime() - begun < 3000, `${cpuTime() - begun} ms`)
})

t.test('A25: what is no card number stays as it is', async t => {
  for (const text of [
    '',
    'T-12',
    '8377835337406812',
    '9622830388368595748',
    '025840856581089745372965',
    '8377-8353-3740-6812',
    '1234567890123',
    '2026-03-01T18:00:00.000Z',
    '4242 4242',
    'req_42',
    '123456789012',
    '1767225600000 ms',
    '4242.4242.4242.4242'
  ]) {
    t.equal(masked(text), text, text)
  }
})

t.test('A18: API keys are masked wherever they stand as a word', async t => {
  const keys = ['sk_test', 'sk_test_merchant', 'k$(1)+?', 'sk-live', 'a']
  const cases: [text: string, shown: string][] = [
    ['sk_test_merchant', '***'],
    ['No Location has the id sk_test_merchant.', 'No Location has the id ***.'],
    ['no path /locations/sk_test_merchant/x', 'no path /locations/***/x'],
    ['key=sk_test_merchant&x=sk_test', 'key=***&x=***'],
    ['"sk_test_merchant"', '"***"'],
    ['sk_test_merchant2 xsk_test_merchant', 'sk_test_merchant2 xsk_test_merchant'],
    ['the key k$(1)+? and sk-live', 'the key *** and ***'],
    ['parameter', 'parameter'],
    ['4242424242424242 sk_test', '**************** ***']
  ]
  for (const [text, shown] of cases) t.equal(masked(text, keys), shown, text)
  t.equal(masked('sk_test_merchant', []), 'sk_test_merchant')
  t.equal(masked('sk_test_merchant'), 'sk_test_merchant')
})

t.test('did-you-mean: the nearest known name, when one is near', async t => {
  const known = ['display_name', 'phone', 'website', 'metadata', 'address[city]']
  const cases: [name: string, meant: string | null][] = [
    ['display_nam', 'display_name'],
    ['displayname', 'display_name'],
    ['Phone', 'phone'],
    ['fone', 'phone'],
    ['PHONE', 'phone'],
    ['adress[city]', 'address[city]'],
    ['xyz', null],
    ['', null],
    ['completely_else', null]
  ]
  for (const [name, meant] of cases) t.equal(nearest(name, known), meant, name)
  t.equal(nearest('phone', []), null)
  t.equal(nearest('ab', ['ax', 'ay']), 'ax', 'of equally near ones the first')
  t.equal(didYouMean('fone', known), '; did you mean phone?')
  t.equal(didYouMean('xyz', known), '')
})

t.test('a sentence ends in one mark', async t => {
  t.strictSame(['no such name', 'no such name.', 'did you mean x?'].map(sentence), ['no such name.', 'no such name.', 'did you mean x?'])
})

t.test('paths of a document are written as code would', async t => {
  t.equal(pathOf([]), '')
  t.equal(pathOf(['tickets', 3, 'location']), 'tickets[3].location')
  t.equal(pathOf([0, 'a']), '[0].a')
  t.strictSame(problemAt(['a', 0], 'm'), { path: 'a[0]', message: 'm', steps: ['a', 0] })
})

t.test('checking: every kind of problem is said in words, with its place', async t => {
  const check = checkerOf(() => ({
    type: 'object',
    additionalProperties: false,
    required: ['name'],
    properties: {
      name: { type: 'string', minLength: 1 },
      count: { type: 'integer', minimum: 1, maximum: 9 },
      number: { type: 'number' },
      flag: { type: 'boolean' },
      maybe: { type: ['string', 'null'] },
      word: { type: 'string', enum: ['card', 'vip'] },
      wordOrNull: { type: ['string', 'null'], enum: ['card', null] },
      mail: { type: 'string', format: 'email' },
      at: { type: 'string', format: 'instant' },
      id: { type: 'string', pattern: '^[a-z]+$' },
      key: { type: 'string', pattern: '^[a-z]+$' },
      list: { type: 'array', items: { type: 'object', properties: { 'a/b~c': { type: 'integer' } } } },
      parts: { type: 'object', additionalProperties: false, properties: { inner: { type: 'string' } } },
      either: { if: { type: 'object' }, then: { type: 'object', required: ['now'] }, else: { type: 'string' } },
      choice: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
      only: { oneOf: [{ type: 'string' }, { type: 'integer' }] }
    }
  }))
  const cases: [document: object, problems: Record<string, string>][] = [
    [{ name: 'x' }, {}],
    [{}, { '': 'name is required' }],
    [{ name: '' }, { name: 'text was expected, not an empty one' }],
    [{ name: 1 }, { name: 'text was expected, not 1; quote it: "1"' }],
    [{ name: true }, { name: 'text was expected, not true; quote it: "true"' }],
    [{ name: null }, { name: 'text was expected, not null' }],
    [{ name: [] }, { name: 'text was expected, not a list' }],
    [{ name: {} }, { name: 'text was expected, not an object' }],
    [{ name: 'x', maybe: 5 }, { maybe: 'text or nothing was expected, not 5; quote it: "5"'.replace('nothing', 'null') }],
    [{ name: 'x', count: '5' }, { count: 'a whole number was expected, not 5' }],
    [{ name: 'x', count: 1.5 }, { count: 'a whole number was expected, not 1.5' }],
    [{ name: 'x', count: 0 }, { count: 'at least 1 was expected, not 0' }],
    [{ name: 'x', count: 10 }, { count: 'at most 9 was expected, not 10' }],
    [{ name: 'x', number: 'y' }, { number: 'a number was expected, not y' }],
    [{ name: 'x', flag: 'yes' }, { flag: 'true or false was expected, not yes' }],
    [{ name: 'x', list: {} }, { list: 'a list was expected, not an object' }],
    [{ name: 'x', parts: [] }, { parts: 'an object was expected, not a list' }],
    [{ name: 'x', word: 'carb' }, { word: 'one of card, vip was expected, not carb; did you mean card?' }],
    [{ name: 'x', word: 'zzzzzz' }, { word: 'one of card, vip was expected, not zzzzzz' }],
    [{ name: 'x', wordOrNull: 'visa!!' }, { wordOrNull: 'one of card was expected, not visa!!' }],
    [{ name: 'x', mail: 'no' }, { mail: 'an e-mail address was expected, such as ana@example.com' }],
    [{ name: 'x', at: '2026-03-01T18:00:00 02:00' }, { at: instantProblem('2026-03-01T18:00:00 02:00') }],
    [{ name: 'x', id: 'A B' }, { id: 'must match pattern "^[a-z]+$", not A B' }],
    [{ name: 'x', id: 'A'.repeat(100) }, { id: `must match pattern "^[a-z]+$", not ${'A'.repeat(60)}…` }],
    [{ name: 'x', key: 'SECRET' }, { key: 'a key is printable, without spaces and without a colon' }],
    [{ name: 'x', nmae: 1 }, { nmae: 'unknown name nmae; did you mean name?' }],
    [{ name: 'x', parts: { zzzzzz: 1 } }, { 'parts.zzzzzz': 'unknown name zzzzzz; known here: inner' }],
    [{ name: 'x', list: [{}, { 'a/b~c': 'x' }] }, { 'list[1].a/b~c': 'a whole number was expected, not x' }],
    [{ name: 'x', list: [{}, 5] }, { 'list[1]': 'an object was expected, not 5' }],
    [{ name: 'x', either: 5 }, { either: 'text was expected, not 5; quote it: "5"' }],
    [{ name: 'x', either: {} }, { either: 'now is required' }]
  ]
  for (const [document, problems] of cases) {
    const found = check(document)
    t.strictSame(Object.fromEntries(found.map(({ path, message }) => [path, message])), problems, JSON.stringify(document))
    for (const { path, steps } of found) t.equal(pathOf(steps), path)
  }
  for (const part of ['choice', 'only']) {
    t.strictSame(
      check({ name: 'x', [part]: true }).map(({ message }) => message),
      ['text was expected, not true; quote it: "true"', 'a whole number was expected, not true'],
      `${part}: the parts speak, not the whole`
    )
  }
  t.strictSame(
    check([]).map(({ path, message }) => [path, message]),
    [['', 'an object was expected, not a list']]
  )
})

t.test('checking: all problems of a document are told at once, and the schema is compiled once, on first use', async t => {
  let made = 0
  const check = checkerOf(() => {
    made++
    return { type: 'array', items: { type: 'integer' } }
  })

  t.equal(made, 0)
  t.equal(check(['a', 1, 'b', 'c']).length, 3)
  t.strictSame(check([1, 2]), [])
  t.equal(made, 1)
})

t.test('settings: control before flag before environment before scenario before default', async t => {
  const places = ['scenario', 'environment', 'flag', 'control'] as const
  const given: Record<string, object> = {}

  t.strictSame(settingsInForce({}).values['ids.length'], 24)
  t.equal(settingsInForce({}).sources['ids.length'], 'default')
  for (const [index, place] of places.entries()) {
    given[place] = { 'ids.length': 10 + index }
    const { values, sources } = settingsInForce(given)
    t.equal(values['ids.length'], 10 + index)
    t.equal(sources['ids.length'], place)
    t.equal(sources.seed, 'default', 'the others stay where they were')
    t.equal(values.seed, 1)
  }
})

t.test('settings: false, 0 and null are values, undefined is none', async t => {
  const { values, sources } = settingsInForce({
    flag: { cors: false, port: 0, 'auth.accept_any_key': null, seed: undefined as never },
    scenario: { 'auth.accept_any_key': 'mch_a', seed: 9 }
  })

  t.strictSame([values.cors, values.port, values['auth.accept_any_key'], values.seed], [false, 0, null, 9])
  t.strictSame([sources.cors, sources.port, sources['auth.accept_any_key'], sources.seed], ['flag', 'flag', 'flag', 'scenario'])
  t.strictSame(Object.keys(values), SETTING_KEYS)
  t.strictSame(Object.keys(sources), SETTING_KEYS)
})

t.test('settings: each default keeps its own schema, and each setting says what it does', async t => {
  const check = checkerOf(() => settingsSchema(() => true))
  const defaults = nested(settingsInForce({}).values)

  t.strictSame(check(JSON.parse(JSON.stringify(defaults))), [])
  for (const key of SETTING_KEYS) t.ok(/^.+\.$/.test(SETTINGS[key].about), key)
})

t.test('settings: the variable and the place in a scenario', async t => {
  t.equal(variableOf('pagination.max_limit'), 'PAGINATION_MAX_LIMIT')
  t.equal(variableOf('ids.prefixes.merchant'), 'IDS_PREFIXES_MERCHANT')
  t.equal(variableOf('control_token'), 'CONTROL_TOKEN')
  t.equal(new Set(SETTING_KEYS.map(variableOf)).size, SETTING_KEYS.length)
  t.equal(scenarioPathOf('seed'), 'seed')
  t.equal(scenarioPathOf('pagination.order'), 'settings.pagination.order')
  t.equal(scenarioPathOf('port'), null)
})

t.test('settings: the schema of one scope, nested by the dots, closed at every level', async t => {
  const schema = settingsSchema(key => key.startsWith('ids.') || key === 'seed') as {
    properties: Record<string, { properties: Record<string, unknown>; additionalProperties: boolean }>
    additionalProperties: boolean
  }

  t.strictSame(Object.keys(schema.properties), ['seed', 'ids'])
  t.strictSame(Object.keys(schema.properties.ids?.properties as object), ['prefixes', 'length'])
  t.equal(schema.additionalProperties, false)
  t.equal(schema.properties.ids?.additionalProperties, false)
  t.hasStrict(schema.properties.ids?.properties.length, { type: 'integer', minimum: 8, maximum: 64, default: 24, description: SETTINGS['ids.length'].about })
})

t.test('settings: what a value may not be', async t => {
  const check = checkerOf(() => settingsSchema(() => true))
  const refused: [key: SettingKey, value: unknown][] = [
    ['port', -1],
    ['port', 65_536],
    ['port', '4010'],
    ['host', ''],
    ['log_level', 'loud'],
    ['cors', 'true'],
    ['control_token', ''],
    ['control_hosts', 'a'],
    ['seed', -1],
    ['seed', 1.5],
    ['seed', 4_294_967_296],
    ['ids.length', 7],
    ['ids.length', 65],
    ['ids.prefixes.refund', 'a b'],
    ['ids.prefixes.refund', 'x'.repeat(17)],
    ['statuses.created', 202],
    ['statuses.missing', 200],
    ['statuses.missing', 500],
    ['pagination.default_limit', 0],
    ['pagination.max_limit', 1001],
    ['transactions.default_currency', 'USD'],
    ['auth.visibility', 'closed']
  ]
  for (const [key, value] of refused) {
    const problems = check(nested({ [key]: value }))
    t.strictSame(
      problems.map(({ path }) => path),
      [key],
      `${key} ${value}`
    )
  }
})

t.test('settings: nested and flat keys turn into each other', async t => {
  const flat = { seed: 1, 'pagination.max_limit': 5, 'ids.prefixes.user': 'u_', control_hosts: ['a', 'b'], 'auth.accept_any_key': null }
  const deep = { seed: 1, pagination: { max_limit: 5 }, ids: { prefixes: { user: 'u_' } }, control_hosts: ['a', 'b'], auth: { accept_any_key: null } }

  t.strictSame({ ...flattened(deep) }, flat)
  t.strictSame(JSON.parse(JSON.stringify(nested(flat))), deep)
  t.strictSame({ ...flattened(flat) }, flat, 'keys with dots may stand as they are')
  t.strictSame({ ...flattened({ pagination: { 'deep.er': { x: 1 } } }) }, { 'pagination.deep.er.x': 1 })
  t.strictSame({ ...flattened({}) }, {})
})

t.test('settings: hostile keys are plain names and touch no prototype', async t => {
  const hostile = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}, "a": {"__proto__": 2}}')

  const flat = flattened(hostile)
  t.strictSame(Object.keys(flat).sort(), ['__proto__.polluted', 'a.__proto__', 'constructor.prototype.polluted'])

  const back = nested(flat)
  t.equal(JSON.stringify(back), '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":{"__proto__":2}}')
  t.equal(({} as Record<string, unknown>).polluted, undefined)

  const problems = checkerOf(() => settingsSchema(() => true))(back)
  t.strictSame(problems.map(({ path }) => path).sort(), ['__proto__', 'a', 'constructor'])
})

t.test('settings: a key below the value of another is an unknown name, in whatever order they come', async t => {
  const check = checkerOf(() => settingsSchema(() => true))
  const cases: [flat: Record<string, unknown>, paths: string[]][] = [
    [{ seed: 1, 'seed.x': 2 }, ['seed.x']],
    [{ 'seed.x': 2, seed: 1 }, ['seed.x']],
    [{ pagination: null, 'pagination.max_limit': 5 }, ['pagination', 'pagination.max_limit']],
    [{ control_hosts: ['a'], 'control_hosts.0.x': 'b' }, ['control_hosts.0.x']],
    [{ 'seed.constructor': 1 }, ['seed']],
    [{ 'constructor.x': 1 }, ['constructor']]
  ]
  for (const [flat, paths] of cases)
    t.strictSame(
      check(nested(flat))
        .map(({ path }) => path)
        .sort(),
      paths,
      JSON.stringify(flat)
    )
})

t.test('settings: where a process setting stands in a sandbox, it is told where it belongs', async t => {
  t.equal(processSettingProblem('port'), 'it belongs to the process; give it when the emulator is started, as with PORT or --set port=')
  t.equal(processSettingProblem('limits.body'), 'it belongs to the process; give it when the emulator is started, as with LIMITS_BODY or --set limits.body=')
  t.equal(processSettingProblem('limits'), 'it belongs to the process; give it when the emulator is started, as with LIMITS_BODY or --set limits.body=')
  for (const name of ['seed', 'pagination', 'pagination.max_limit', 'lim', 'none', '', '__proto__', 'ids.prefixes'])
    t.equal(processSettingProblem(name), undefined, name)
})
