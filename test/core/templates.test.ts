import t from 'tap'
import {
  ERROR_TEMPLATE,
  filled,
  LIST_TEMPLATE,
  placeholdersIn,
  valueAt,
  without
} from '../../src/core/templates.js'

const DEEP = { a: [{ b: '$code' }, '$param', 1], c: { d: '$message', e: null }, f: 'text' }

t.test('templates: values replace placeholders; a placeholder without a value is left out', t => {
  const cases: [template: unknown, values: Record<string, unknown>, answer: unknown][] = [
    [
      DEEP,
      { code: 'x', message: 'm', param: 'p' },
      { a: [{ b: 'x' }, 'p', 1], c: { d: 'm', e: null }, f: 'text' }
    ],
    [DEEP, { message: '$code' }, { a: [{}, 1], c: { d: '$code', e: null }, f: 'text' }],
    [{ data: '$members' }, { members: [{ id: '$url' }], url: 'u' }, { data: [{ id: '$url' }] }],
    [JSON.parse('{"__proto__":"$url"}'), { url: 'u' }, JSON.parse('{"__proto__":"u"}')]
  ]
  for (const [template, values, answer] of cases)
    t.equal(JSON.stringify(filled(template, values)), JSON.stringify(answer))
  t.strictSame(placeholdersIn(DEEP), ['$code', '$param', '$message'])
  t.end()
})

t.test('templates: a value is found at its place, or not at all', t => {
  const cases: [template: unknown, answer: unknown, placeholder: string, value: unknown][] = [
    [DEEP, { a: [{ b: 'x' }, 'p', 1] }, '$code', 'x'],
    [DEEP, { a: [{ b: 'x' }, 'p', 1] }, '$param', 'p'],
    [DEEP, { c: { d: 'm' } }, '$message', 'm'],
    [DEEP, { c: 'm' }, '$message', undefined],
    [DEEP, null, '$message', undefined],
    [DEEP, { c: { d: 'm' } }, '$rule', undefined],
    [LIST_TEMPLATE, { last_id: null }, '$last_id', null]
  ]
  for (const [template, answer, placeholder, value] of cases)
    t.equal(
      valueAt(template, answer, placeholder),
      value,
      `${placeholder} ${JSON.stringify(answer)}`
    )
  t.end()
})

t.test('templates: parts are left out by their placeholders', t => {
  const error = {
    error: { code: 'c', message: 'm', request_id: 'r', more: { message: 'm' } },
    other: 1
  }
  t.strictSame(without(ERROR_TEMPLATE, error, ['$message', '$request_id']), {
    error: { code: 'c', more: { message: 'm' } },
    other: 1
  })
  t.strictSame(without(DEEP, { a: [{ b: 'x' }, 'p', 1], c: { d: 'm' } }, ['$code']), {
    a: [{}, 'p', 1],
    c: { d: 'm' }
  })
  t.strictSame([without(DEEP, 'text', ['$code']), without(DEEP, null, ['$code'])], ['text', null])
  t.end()
})
