import t from 'tap'
import { checkerOf } from '../../src/core/checking.js'
import { instantProblem } from '../../src/core/instants.js'
import { didYouMean, nearest, sentence } from '../../src/core/nearest.js'
import { pathOf, problemAt } from '../../src/core/places.js'

t.test('paths of a document are written as code would', async t => {
  t.equal(pathOf([]), '')
  t.equal(pathOf(['tickets', 3, 'location']), 'tickets[3].location')
  t.equal(pathOf([0, 'a']), '[0].a')
  t.strictSame(problemAt(['a', 0], 'm'), { path: 'a[0]', message: 'm', steps: ['a', 0] })
})

t.test('checking: every kind of problem is said in words, with its place', async t => {
  const { problems: check } = checkerOf(() => ({
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
      nested: { type: ['array', 'object'], items: { type: 'integer' }, additionalProperties: { type: 'integer' } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      either: { if: { type: 'object' }, then: { type: 'object', required: ['now'] }, else: { type: 'string' } }
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
    [{ name: 'x', number: undefined, count: 0 }, { count: 'at least 1 was expected, not 0' }],
    [{ name: 'x', number: 'y' }, { number: 'a number was expected, not y' }],
    [{ name: 'x', flag: 'yes' }, { flag: 'true or false was expected, not yes' }],
    [{ name: 'x', list: {} }, { list: 'a list was expected, not an object' }],
    [{ name: 'x', parts: [] }, { parts: 'an object was expected, not a list' }],
    [{ name: 'x', word: 'carb' }, { word: 'one of card, vip was expected, not carb; did you mean card?' }],
    [{ name: 'x', word: 'zzzzzz' }, { word: 'one of card, vip was expected, not zzzzzz' }],
    [{ name: 'x', wordOrNull: 'visa!!' }, { wordOrNull: 'one of card was expected, not visa!!' }],
    [{ name: 'x', mail: 'no' }, { mail: 'an e-mail address was expected, such as ana@example.com' }],
    [{ name: 'x', at: '2026-03-01T18:00:00 02:00' }, { at: instantProblem('2026-03-01T18:00:00 02:00').expected }],
    [{ name: 'x', id: 'A B' }, { id: 'must match pattern "^[a-z]+$", not A B' }],
    [{ name: 'x', id: 'A'.repeat(100) }, { id: `must match pattern "^[a-z]+$", not ${'A'.repeat(60)}…` }],
    [{ name: 'x', key: 'SECRET' }, { key: 'a key is printable, without spaces and without a colon' }],
    [{ name: 'x', nmae: 1 }, { nmae: 'unknown name nmae; did you mean name?' }],
    [{ name: 'x', parts: { zzzzzz: 1 } }, { 'parts.zzzzzz': 'unknown name zzzzzz; known here: inner' }],
    [{ name: 'x', list: [{}, { 'a/b~c': 'x' }] }, { 'list[1].a/b~c': 'a whole number was expected, not x' }],
    [{ name: 'x', list: [{}, 5] }, { 'list[1]': 'an object was expected, not 5' }],
    [{ name: 'x', nested: [1, 'y'] }, { 'nested[1]': 'a whole number was expected, not y' }],
    [{ name: 'x', nested: { a: 1, b: 'y' } }, { 'nested.b': 'a whole number was expected, not y' }],
    [{ name: 'x', either: 5 }, { either: 'text was expected, not 5; quote it: "5"' }],
    [{ name: 'x', either: {} }, { either: 'now is required' }],
    [{ name: 'x', either: [] }, { either: 'text was expected, not a list' }],
    [
      { name: 'x', ['y'.repeat(200)]: 1 },
      {
        [`${'y'.repeat(128)}…`]: `unknown name ${'y'.repeat(60)}…; known here: name, count, number, flag, maybe, word, wordOrNull, mail, at, id, key, list, parts, nested, either`
      }
    ]
  ]
  for (const [document, problems] of cases) {
    const found = await check(document)
    t.strictSame(Object.fromEntries(found.map(({ path, message }) => [path, message])), problems, JSON.stringify(document))
    for (const { path, steps } of found) t.equal(pathOf(steps), path)
  }
  t.strictSame(
    (await check([])).map(({ path, message }) => [path, message]),
    [['', 'an object was expected, not a list']]
  )
})

t.test('checking: all problems of a document are reported at once, and the schema is compiled once, on first use', async t => {
  let made = 0
  const { problems: check } = checkerOf(() => {
    made++
    return { type: ['array', 'object'], items: { type: 'integer' }, additionalProperties: false }
  })

  t.equal(made, 0)
  t.equal((await check(['a', 1, 'b', 'c'])).length, 3)
  for (const many of [Array(5000).fill('a'), Object.fromEntries(Array(5000).entries())]) t.equal((await check(many, 10)).length, 11, 'nobody looks for more')
  t.strictSame(await check([1, 2]), [])
  t.equal(made, 1)
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
  t.equal(nearest('x'.repeat(200), [`${'x'.repeat(199)}y`]), null, 'a long name is no misspelled one')
  t.equal(nearest('x'.repeat(128), [`${'x'.repeat(128)}y`]), null)
  t.equal(nearest('ab', ['ax', 'ay']), 'ax', 'of equally near ones the first')
  t.equal(didYouMean('fone', known), '; did you mean phone?')
  t.equal(didYouMean('xyz', known), '')
})

t.test('a sentence ends in one mark', async t => {
  t.strictSame(['no such name', 'no such name.', 'did you mean x?'].map(sentence), ['no such name.', 'no such name.', 'did you mean x?'])
})
