import t from 'tap'
import { parse } from 'yaml'
import { checkerOf } from '../../src/core/checking.js'
import { instantProblem } from '../../src/core/instants.js'
import { pathOf, problemAt } from '../../src/core/places.js'
import { didYouMean, nearest, sentence, thereAre } from '../../src/core/sentences.js'
import { SETTINGS } from '../../src/core/settings.js'
import { problemsOfShape } from '../../src/scenario/shape/scenario.js'
import { rows } from '../support/rows.js'

t.test('paths of a document are written as code would', async t => {
  t.strictSame([[], ['tickets', 3, 'location'], [0, 'a']].map(pathOf), [
    '',
    'tickets[3].location',
    '[0].a'
  ])
  t.strictSame(problemAt(['a', 0], { code: 'c', message: 'm' }), {
    path: 'a[0]',
    code: 'c',
    message: 'm',
    steps: ['a', 0]
  })
})

t.test('checking: every kind of problem has a message and a place', async t => {
  // biome-ignore format: a table
  const { problems: check } = checkerOf(() => ({
    type: 'object', additionalProperties: false, required: ['name'],
    properties: {
      name: { type: 'string', minLength: 1 }, count: { type: 'integer', minimum: 1, maximum: 9 }, number: { type: 'number' },
      flag: { type: 'boolean' }, maybe: { type: ['string', 'null'] }, word: { type: 'string', enum: ['card', 'vip'] },
      wordOrNull: { type: ['string', 'null'], enum: ['card', null] }, mail: { type: 'string', format: 'email' },
      at: { type: 'string', format: 'instant' }, id: { type: 'string', pattern: '^[a-z]+$' }, key: { type: 'string', pattern: '^[a-z]+$' },
      list: { type: 'array', items: { type: 'object', properties: { 'a/b~c': { type: 'integer' } } } },
      parts: { type: 'object', additionalProperties: false, properties: { inner: { type: 'string' } } },
      nested: { type: ['array', 'object'], items: { type: 'integer' }, additionalProperties: { type: 'integer' } },
      either: {
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        if: { type: 'object' }, then: { type: 'object', required: ['now'] }, else: { type: 'string' }
      }
    }
  }))
  const name = 'x'
  // biome-ignore format: a table
  const cases: [
    document: object,
    ...problems: [path: string, code: string, ...names: string[]][]
  ][] = [
    [{ name, number: undefined, count: 0 }, ['count', 'too_small']],
    [{ name, at: '2026-03-01T18:00:00 02:00' }, ['at', 'wrong_format', instantProblem('2026-03-01T18:00:00 02:00').expected]],
    [{ name, id: 'A'.repeat(100) }, ['id', 'not_matching', `got ${'A'.repeat(60)}…`]],
    ...parse(`[
      [{ name: x }], [{}, ['', required, name]], [{ name: '' }, [name, empty]], [{ name: 1 }, [name, wrong_type, text, got 1, 'quote it: "1"']],
      [{ name: true }, [name, wrong_type, 'quote it: "true"']], [{ name: null }, [name, wrong_type, got null]], [{ name: [] }, [name, wrong_type, got an empty list]],
      [{ name: {} }, [name, wrong_type, got an object]], [{ name: x, maybe: 5 }, [maybe, wrong_type, text or null]],
      [{ name: x, count: '5' }, [count, wrong_type, a whole number, got 5]], [{ name: x, count: 1.5 }, [count, wrong_type, got 1.5]], [{ name: x, count: '5 ' }, [count, wrong_type, 'got "5 "']],
      [{ name: x, count: 0 }, [count, too_small, '1', got 0]], [{ name: x, count: 10 }, [count, too_large, '9', got 10]],
      [{ name: x, number: y }, [number, wrong_type, a number]], [{ name: x, flag: yes }, [flag, wrong_type, true or false]],
      [{ name: x, list: {} }, [list, wrong_type, a list]], [{ name: x, parts: [] }, [parts, wrong_type, an object]],
      [{ name: x, word: carb }, [word, not_one_of, 'card, vip', got carb, 'did you mean card?']], [{ name: x, word: zzzzzz }, [word, not_one_of, got zzzzzz]],
      [{ name: x, wordOrNull: visa!! }, [wordOrNull, not_one_of, one of card;]], [{ name: x, mail: no }, [mail, wrong_format, an email address]],
      [{ name: x, id: A B }, [id, not_matching, '^[a-z]+$', got A B]], [{ name: x, key: SECRET }, [key, not_a_key]],
      [{ name: x, nmae: 1 }, [nmae, unknown_name, 'did you mean name?']], [{ name: x, parts: { zzzzzz: 1 } }, [parts.zzzzzz, unknown_name, 'available: inner']],
      [{ name: x, list: [{}, { a/b~c: x }] }, ['list[1].a/b~c', wrong_type]], [{ name: x, list: [{}, 5] }, ['list[1]', wrong_type]],
      [{ name: x, nested: [1, y] }, ['nested[1]', wrong_type]], [{ name: x, nested: { a: 1, b: y } }, [nested.b, wrong_type]],
      [{ name: x, either: 5 }, [either, wrong_type, text]], [{ name: x, either: {} }, [either, required, now]],
      [{ name: x, either: [] }, [either, wrong_type, text]]
    ]`),
    [{ name, ['y'.repeat(200)]: 1 }, [`${'y'.repeat(128)}…`, 'unknown_name', `${'y'.repeat(60)}…;`, 'available: name, count,']],
    [[], ['', 'wrong_type', 'an object', 'got an empty list']],
    [{ count: 0, either: {} }, ['', 'required', 'name'], ['count', 'too_small'], ['either', 'required', 'now']]
  ]
  for (const [document, ...problems] of cases) {
    const found = await check(document)
    const wanted = problems.map(problem => problem.slice(0, 2))
    t.equal(
      found.map(({ path, code }) => [path, code]).join(),
      wanted.join(),
      JSON.stringify(document)
    )
    for (const [nth, { steps, path, message }] of found.entries()) {
      t.equal(pathOf(steps), path)
      for (const part of problems[nth]?.slice(2) ?? []) t.ok(message.includes(part), message)
    }
  }
})

t.test('checking: all problems come at once; a schema is compiled on first use', async t => {
  let made = 0
  const { problems: check } = checkerOf(() => {
    made++
    return { type: ['array', 'object'], items: { type: 'integer' }, additionalProperties: false }
  })

  t.equal(made, 0)
  t.equal((await check(['a', 1, 'b', 'c'])).length, 3)
  for (const many of [Array(5000).fill('a'), Object.fromEntries(Array(5000).entries())])
    t.equal(check(many).length, 1001)
  t.strictSame(await check([1, 2]), [])
  const names = { required: ['a'] }
  const both = {
    ...names,
    if: { type: 'object' },
    ...Object.fromEntries(['then', 'else'].map(word => [word, names]))
  }
  t.equal(checkerOf(() => both).problems({}).length, 2, 'of its parts and of its condition')
  t.equal(made, 1)
})

t.test('did-you-mean: the nearest known name, when one is near', async t => {
  const known = ['display_name', 'phone', 'website', 'metadata', 'address[city]']
  const near = rows<[name: string, meant: string]>(
    'display_nam display_name | displayname display_name | Phone phone | fone phone | PHONE phone | adress[city] address[city]'
  )
  for (const [name, meant] of near) t.equal(nearest(name, known), meant)
  for (const name of ['xyz', '', 'completely_else']) t.equal(nearest(name, known), null, name)
  t.equal(nearest('phone', []), null)
  t.equal(nearest('x'.repeat(200), [`${'x'.repeat(199)}y`]), null, 'a long name is no misspelling')
  t.equal(nearest('x'.repeat(128), [`${'x'.repeat(128)}y`]), null)
  t.equal(nearest('ab', ['ax', 'ay']), 'ax', 'of equally near ones the first')
  t.equal(didYouMean('fone', known), '; did you mean phone?')
  t.equal(didYouMean('xyz', known), '')
})

t.test('what there is: twenty by name, the others by number; one mark ends a sentence', async t => {
  const names = (count: number) => Array.from({ length: count }, (_, nth) => `n${nth}`)
  const twenty = `available: ${names(20).join(', ')}`
  for (const [count, says] of Object.entries({
    0: 'there are none',
    2: 'available: n0, n1',
    20: twenty,
    23: `${twenty} and 3 more`
  }))
    t.equal(thereAre(names(Number(count))), says)
  t.strictSame(['no such name', 'no such name.', 'did you mean x?'].map(sentence), [
    'no such name.',
    'no such name.',
    'did you mean x?'
  ])
})

t.test('checking: a template that is not an object has only the wrong type', async t => {
  const { problems } = checkerOf(() => ({
    type: 'object',
    'x-template': { placeholders: ['a'], once: [] }
  }))
  const codes = (await problems('x')).map(({ code }) => code)
  t.strictSame(codes, ['wrong_type'])
})

t.test('checking: templates, texts and lists have maxima', async t => {
  const filledWith = (text: string, count: number) => ({ a: Array(count).fill(text) })
  const onlyOf = (length: number) => ({ a: 'x'.repeat(length - '{"a":""}'.length) })
  const ticket = (length: number) => ({
    tickets: [{ location: 'l', reference: 'r'.repeat(length) }]
  })
  const on = (count: number) => ({ script: [{ on: Array(count).fill('GET *'), delay: '1s' }] })
  const match = (count: number) => ({
    script: [{ on: 'GET /tickets', match: { key: Array(count).fill('k') }, delay: '1s' }]
  })
  const template = checkerOf(() => SETTINGS['shapes.error'].schema).problems
  const fixture = (data: unknown) => problemsOfShape('fixture', data)
  const scenario = (data: unknown) => problemsOfShape('scenario', data)
  const cases: [problems: typeof fixture, data: unknown, code?: string][] = [
    [template, filledWith('$message', 100)],
    [template, filledWith('$message', 101), 'template_too_large'],
    [template, onlyOf(16_384)],
    [template, onlyOf(16_385), 'template_too_large'],
    [fixture, null, 'empty_document'],
    [scenario, null, 'empty_document'],
    [fixture, ticket(65_536)],
    [fixture, ticket(65_537), 'too_long'],
    [scenario, on(1000)],
    [scenario, on(1001), 'too_many_items'],
    [scenario, match(1000)],
    [scenario, match(1001), 'too_many_items']
  ]
  for (const [nth, [problems, data, code]] of cases.entries())
    t.equal((await problems(data))[0]?.code, code, `${nth}`)
})
