import t from 'tap'
import { checkerOf } from '../../src/core/checking.js'
import { instantProblem } from '../../src/core/instants.js'
import { didYouMean, nearest, sentence } from '../../src/core/nearest.js'
import { pathOf, problemAt } from '../../src/core/places.js'

t.test('paths of a document are written as code would', async t => {
  t.equal(pathOf([]), '')
  t.equal(pathOf(['tickets', 3, 'location']), 'tickets[3].location')
  t.equal(pathOf([0, 'a']), '[0].a')
  t.strictSame(problemAt(['a', 0], { code: 'c', message: 'm' }), { path: 'a[0]', code: 'c', message: 'm', steps: ['a', 0] })
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
    [{ name: '' }, { name: 'must not be empty' }],
    [{ name: 1 }, { name: 'must be text; got 1; quote it: "1"' }],
    [{ name: true }, { name: 'must be text; got true; quote it: "true"' }],
    [{ name: null }, { name: 'must be text; got null' }],
    [{ name: [] }, { name: 'must be text; got a list' }],
    [{ name: {} }, { name: 'must be text; got an object' }],
    [{ name: 'x', maybe: 5 }, { maybe: 'must be text or nothing; got 5; quote it: "5"'.replace('nothing', 'null') }],
    [{ name: 'x', count: '5' }, { count: 'must be a whole number; got 5' }],
    [{ name: 'x', count: 1.5 }, { count: 'must be a whole number; got 1.5' }],
    [{ name: 'x', count: 0 }, { count: 'must be at least 1; got 0' }],
    [{ name: 'x', count: 10 }, { count: 'must be at most 9; got 10' }],
    [{ name: 'x', number: undefined, count: 0 }, { count: 'must be at least 1; got 0' }],
    [{ name: 'x', number: 'y' }, { number: 'must be a number; got y' }],
    [{ name: 'x', flag: 'yes' }, { flag: 'must be true or false; got yes' }],
    [{ name: 'x', list: {} }, { list: 'must be a list; got an object' }],
    [{ name: 'x', parts: [] }, { parts: 'must be an object; got a list' }],
    [{ name: 'x', word: 'carb' }, { word: 'must be one of card, vip; got carb; did you mean card?' }],
    [{ name: 'x', word: 'zzzzzz' }, { word: 'must be one of card, vip; got zzzzzz' }],
    [{ name: 'x', wordOrNull: 'visa!!' }, { wordOrNull: 'must be one of card; got visa!!' }],
    [{ name: 'x', mail: 'no' }, { mail: 'must be an email address, such as ana@example.com' }],
    [{ name: 'x', at: '2026-03-01T18:00:00 02:00' }, { at: instantProblem('2026-03-01T18:00:00 02:00').expected }],
    [{ name: 'x', id: 'A B' }, { id: 'must match the pattern "^[a-z]+$"; got A B' }],
    [{ name: 'x', id: 'A'.repeat(100) }, { id: `must match the pattern "^[a-z]+$"; got ${'A'.repeat(60)}…` }],
    [{ name: 'x', key: 'SECRET' }, { key: 'must be printable, without spaces and without a colon' }],
    [{ name: 'x', nmae: 1 }, { nmae: 'unknown name nmae; did you mean name?' }],
    [{ name: 'x', parts: { zzzzzz: 1 } }, { 'parts.zzzzzz': 'unknown name zzzzzz; available: inner' }],
    [{ name: 'x', list: [{}, { 'a/b~c': 'x' }] }, { 'list[1].a/b~c': 'must be a whole number; got x' }],
    [{ name: 'x', list: [{}, 5] }, { 'list[1]': 'must be an object; got 5' }],
    [{ name: 'x', nested: [1, 'y'] }, { 'nested[1]': 'must be a whole number; got y' }],
    [{ name: 'x', nested: { a: 1, b: 'y' } }, { 'nested.b': 'must be a whole number; got y' }],
    [{ name: 'x', either: 5 }, { either: 'must be text; got 5; quote it: "5"' }],
    [{ name: 'x', either: {} }, { either: 'now is required' }],
    [{ name: 'x', either: [] }, { either: 'must be text; got a list' }],
    [
      { name: 'x', ['y'.repeat(200)]: 1 },
      {
        [`${'y'.repeat(128)}…`]: `unknown name ${'y'.repeat(60)}…; available: name, count, number, flag, maybe, word, wordOrNull, mail, at, id, key, list, parts, nested, either`
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
    [['', 'must be an object; got a list']]
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
