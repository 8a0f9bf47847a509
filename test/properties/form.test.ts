/**
 * The form decoder compared with a naive encoder: encoded values come back, any text is decoded or
 * refused, and each name has at most one value.
 */
import { deepEqual, equal, ok } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { decodeForm, type FormNode, FormObject } from '../../src/core/form.js'
import { property } from '../support/property.js'

const LIMITS = { 'limits.parameters': 1000, 'limits.depth': 4 }
const decode = (text: string) => decodeForm(text, LIMITS)

type Value = string | string[] | Parts
type Parts = { parts: [name: string, value: Value][]; cleared: boolean }
type Pair = { steps: string[]; value: string }

const text = fc.string({ unit: 'binary', maxLength: 12 })
/** A name without brackets, including built-in properties and numbers. */
const name = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'metadata',
    'address',
    '0',
    '1',
    '__proto__',
    'constructor',
    'toString',
    'a b',
    '%',
    '+',
    'é',
    '\0'
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }).filter(part => !/[[\]]/.test(part))
)
const partsOf = (value: fc.Arbitrary<Value>): fc.Arbitrary<Parts> =>
  fc.record({
    parts: fc.uniqueArray(fc.tuple(name, value), {
      minLength: 1,
      maxLength: 4,
      selector: ([name]) => name
    }),
    cleared: fc.boolean()
  })
const valueOfDepth = (depth: number): fc.Arbitrary<Value> => {
  if (depth === 0) return text
  return fc.oneof(
    { weight: 3, arbitrary: text },
    fc.array(text, { minLength: 1, maxLength: 3 }),
    partsOf(fc.oneof(text, valueOfDepth(depth - 1)))
  )
}
const form = partsOf(valueOfDepth(LIMITS['limits.depth'])).map(({ parts }) => parts)

function pairsOf(value: Value, steps: string[]): Pair[] {
  if (typeof value === 'string') return [{ steps, value }]
  if (Array.isArray(value)) return value.map(item => ({ steps: [...steps, ''], value: item }))
  return [
    ...value.parts.flatMap(([name, part]) => pairsOf(part, [...steps, name])),
    ...(value.cleared ? [{ steps, value: '' }] : [])
  ]
}

const nameOf = ([head, ...inner]: string[]) => [head, ...inner.map(step => `[${step}]`)].join('')

/** Encodings of a text: literal, + for a space, or percent-encoded. */
function written(text: string, styles: readonly number[], isName: boolean): string {
  return [...text]
    .map((piece, index) => {
      const style = styles[index % styles.length] as number
      if (piece === ' ' && style % 2 === 0) return '+'
      if (!'&+%'.includes(piece) && !(isName && piece === '=') && style % 3 !== 0) return piece
      const bytes = [...Buffer.from(piece)]
        .map(byte => `%${byte.toString(16).padStart(2, '0')}`)
        .join('')
      return style % 2 === 0 ? bytes : bytes.toUpperCase()
    })
    .join('')
}
const style = fc.array(fc.nat(5), { minLength: 1, maxLength: 7 })
const encoded = (pairs: readonly Pair[], styles: readonly number[]) =>
  pairs
    .map(
      ({ steps, value }) =>
        `${written(nameOf(steps), styles, true)}=${written(value, styles, false)}`
    )
    .join('&')

function decodedValue(node: FormNode): Value {
  if (typeof node === 'string') return node
  if (Array.isArray(node)) return node
  return {
    parts: [...node].map(([name, part]) => [name, decodedValue(part)]),
    cleared: node.cleared
  }
}
const sorted = (value: Value): Value =>
  typeof value === 'string' || Array.isArray(value)
    ? value
    : {
        ...value,
        parts: value.parts
          .map(([name, part]): [string, Value] => [name, sorted(part)])
          .sort(([a], [b]) => (a < b ? -1 : 1))
      }

function shuffled(pairs: readonly Pair[], order: readonly number[]): Pair[] {
  const left = [...pairs]
  const taken: Pair[] = []
  for (let index = 0; left.length > 0; index++) {
    const wanted = left[(order[index % order.length] as number) % left.length] as Pair
    const first = left.findIndex(({ steps }) => nameOf(steps) === nameOf(wanted.steps))
    taken.push(...left.splice(first, 1))
  }
  return taken
}

/** Either a decoded form, or one of two problems with a name and a message. */
function decodedOrRefused(form: string): void {
  const { root, problem } = decode(form)
  ok(root instanceof FormObject)
  if (problem === null) return
  ok(['form_malformed', 'form_too_large'].includes(problem.code), problem.code)
  ok(typeof problem.param === 'string')
  ok(problem.message.endsWith('.'))
  ok(problem.rule === undefined || problem.rule === 'FORM-2')
}

const BUILT_IN = [Object.prototype, Array.prototype, Function.prototype]
const builtIn = () => BUILT_IN.map(prototype => Object.getOwnPropertyNames(prototype))
const before = builtIn()

void property(
  t,
  'FORM-1, FORM-2: what is encoded, in whatever way and order, is decoded to the same',
  { of: fc.tuple(form, style, fc.array(fc.nat(), { minLength: 1 })), runs: 300 },
  ([parts, styles, order]) => {
    const pairs = shuffled(pairsOf({ parts, cleared: false }, []), order)

    const { root, problem } = decode(encoded(pairs, styles))

    equal(problem, null)
    deepEqual(sorted(decodedValue(root)), sorted({ parts, cleared: false }))
    deepEqual(
      [...root.keys()],
      [...new Set(pairs.map(({ steps }) => steps[0]))],
      'names are in the order of their first appearance'
    )
  }
)

const PIECES = [
  ...'a b 0 [ ] [] [a] [b] = & + % %5B %5D %zz %ff %C3 __proto__ constructor é'.split(' '),
  '\0',
  '\uD800'
]
const bytes = fc.tuple(
  fc.uint8Array({ maxLength: 60 }),
  fc.constantFrom('utf8', 'latin1', 'utf16le')
)
void property(
  t,
  'FORM-1: any bytes, and any pieces of forms, are decoded or refused with a documented problem',
  {
    of: fc.oneof(
      bytes.map(([sent, encoding]) => Buffer.from(sent).toString(encoding as BufferEncoding)),
      fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }).map(pieces => pieces.join(''))
    ),
    runs: 1500
  },
  decodedOrRefused
)

void property(
  t,
  'A36: a value given twice is refused by its name',
  { of: fc.tuple(form, style, fc.nat(), fc.nat(), text), runs: 300 },
  ([parts, styles, which, where, value]) => {
    const pairs = pairsOf({ parts, cleared: false }, [])
    const leaves = pairs.filter(({ steps }) => steps.at(-1) !== '')
    fc.pre(leaves.length > 0)
    const { steps } = leaves[which % leaves.length] as Pair
    const at = pairs.findIndex(pair => pair.steps === steps) + 1
    const twice = pairs.toSpliced(at + (where % (pairs.length - at + 1)), 0, { steps, value })

    const { problem } = decode(encoded(twice, styles))

    deepEqual(
      [problem?.code, problem?.assumption, problem?.param],
      ['form_malformed', 'A36', nameOf(steps)]
    )
  }
)

void property(
  t,
  'A36: one name is a value, a list or an object, whichever comes first',
  {
    of: fc.tuple(
      name,
      fc.array(name, { maxLength: 2 }),
      fc.shuffledSubarray(['value', 'list', 'object'], { minLength: 2, maxLength: 2 }),
      style
    ),
    runs: 200
  },
  ([head, inner, kinds, styles]) => {
    const steps = [head, ...inner]
    const PAIRS: Record<string, Pair> = {
      value: { steps, value: 'x' },
      list: { steps: [...steps, ''], value: 'x' },
      object: { steps: [...steps, 'k'], value: 'x' }
    }
    const pairs = kinds.map(kind => PAIRS[kind] as Pair)

    const { problem } = decode(encoded(pairs, styles))

    deepEqual(
      [problem?.code, problem?.assumption, problem?.param],
      ['form_malformed', 'A36', nameOf((pairs[1] as Pair).steps)]
    )
  }
)

void property(
  t,
  'A35: a form is refused exactly when it has more parameters, or is nested deeper, than the limits say',
  {
    of: fc.record({
      parameters: fc.integer({ min: 1, max: 20 }),
      depth: fc.integer({ min: 1, max: 6 }),
      count: fc.integer({ min: 1, max: 24 }),
      nested: fc.nat(8)
    }),
    runs: 200
  },
  ({ parameters, depth, count, nested }) => {
    const deep = `last${'[k]'.repeat(nested)}=x`
    const many = [...Array.from({ length: count - 1 }, (_, index) => `name${index}=x&`), deep].join(
      '&'
    )

    const { problem } = decodeForm(many, { 'limits.parameters': parameters, 'limits.depth': depth })

    if (count <= parameters && nested <= depth) equal(problem, null)
    else
      deepEqual(
        [problem?.code, problem?.param],
        ['form_too_large', count > parameters ? '' : `last${'[k]'.repeat(nested)}`]
      )
  }
)

t.test('FORM-1: after all of that no prototype has been touched', async t => {
  t.strictSame(builtIn(), before)
})
