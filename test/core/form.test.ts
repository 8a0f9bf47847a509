import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { decodeForm, type FormNode } from '../../src/core/form.js'
import { rows } from '../support/rows.js'

const decode = (text: string, parameters = 1000, depth = 4) =>
  decodeForm(text, { 'limits.parameters': parameters, 'limits.depth': depth })

/**
 * A decoded form as plain data: lists as arrays, and `(cleared)` in an object that was also
 * cleared.
 */
function plain(node: FormNode): unknown {
  if (typeof node === 'string') return node
  if (Array.isArray(node)) return node
  const parts = [...node].map(([name, part]) => [name, plain(part)])
  return Object.fromEntries(node.cleared ? [...parts, ['(cleared)', true]] : parts)
}

/** The decoded form. */
const decoded = (text: string) => {
  const { root, problem } = decode(text)
  return problem ?? plain(root)
}

t.test('FORM-1, FORM-2: what no encoder of the property tests writes is decoded too', async t => {
  const cases: [text: string, decoded: object][] = [
    ['', {}],
    ['&&a=b&&', { a: 'b' }],
    ['a', { a: '' }],
    ['a=b=c', { a: 'b=c' }],
    ['a=;b=c', { a: ';b=c' }],
    [' a = b ', { ' a ': ' b ' }],
    ['A=1&a=2', { A: '1', a: '2' }],
    ['address%5Bcity]=Boston', { address: { city: 'Boston' } }],
    ['address%5bcity%5D=Boston', { address: { city: 'Boston' } }],
    ['a[][b]=1', { a: ['1'] }],
    ['metadata[k]=v&metadata', { metadata: { k: 'v', '(cleared)': true } }],
    ['metadata[a]=1&metadata=&metadata[b]=2', { metadata: { a: '1', b: '2', '(cleared)': true } }],
    ['metadata=', { metadata: '' }]
  ]
  for (const [text, expected] of cases) t.strictSame(decoded(text), expected, text)
})

t.test('FORM-2, A36: unbalanced brackets and empty names have their own problems', async t => {
  for (const name of 'a[ a] a[b a]b[ a[b]c a[b]] a[[b]] a[b[c]] a[b]c] a[b][ a[b]c[d] [a] [] [ ] a]b] a][b] a%5B'.split(
    ' '
  )) {
    const { root, problem } = decode(`${name}=1&after=2`)
    const param = decodeURIComponent(name)
    const message = `${param}: the brackets are misplaced: a nested name is written parent[child].`
    t.strictSame(problem, { code: 'form_malformed', param, message, rule: 'FORM-2' }, name)
    t.strictSame(plain(root), {}, 'what stands behind is not read')
  }
  for (const text of ['=1', '=', 'a=1&=2'])
    t.strictSame(
      decoded(text),
      {
        code: 'form_malformed',
        param: '',
        message: 'The form: a value has no name before its =.',
        assumption: 'A36'
      },
      text
    )
})

t.test('FORM-1, A36: invalid percent-encoding names the parameter', async t => {
  const cases = rows<
    [part: 'name' | 'value', is: 'broken' | 'bytes', param: string, ...texts: string[]]
  >(`
    value broken amount amount=% amount=%2 amount=%zz amount=100% amount=%ff%
    value bytes amount amount=%ff amount=%C3 amount=%C3%28 amount=%ED%A0%80
    value bytes address[city] address%5Bcity%5D=%E2%82 | name bytes %ff %ff
    name broken % %=1 | name broken %zz %zz=1 | name broken ab%4 ab%4=1 | name broken %zz%61%62 %zz%61%62=1
  `).flatMap(([part, is, param, ...texts]) =>
    texts.map(text => ({ part, isBytes: is === 'bytes', param, text }))
  )
  for (const { text, param, part, isBytes } of cases) {
    const { problem } = decode(text)

    const message = isBytes
      ? `${param}: the bytes of the ${part} are not UTF-8.`
      : `${param}: the percent-encoding of the ${part} is broken: % must be followed by two hexadecimal digits.`
    t.strictSame(
      problem,
      { code: 'form_malformed', param, message, ...(isBytes && { assumption: 'A36' }) },
      text
    )
  }
})

t.test('A36: a name is one value, one list or one object, in whatever order they come', async t => {
  const twice = rows<[text: string, param: string]>(
    'a=&a=1 a | a=1&b=2&%61=3 a | metadata=&metadata[k]=v&metadata= metadata | metadata[k]=v&metadata=&metadata= metadata'
  )
  const mixed = rows<[text: string, param: string, parent: string]>(
    'a[]=2&a= a a | a=&a[]=2 a[] a | a[b]=1&a[b][c]=2 a[b][c] a[b] | a[b][c]=1&a[b]=2 a[b] a[b] | a[b][c]=1&a[b][]=2 a[b][] a[b]'
  )
  const refused = (param: string, message: string) => ({
    code: 'form_malformed',
    param,
    message: `${param}: ${message}.`,
    assumption: 'A36'
  })
  const twiceSent =
    'sent more than once; send it once (nested values are written address[city]=Boston)'
  for (const [text, param] of twice) t.strictSame(decoded(text), refused(param, twiceSent), text)
  for (const [text, param, parent] of mixed)
    t.strictSame(
      decoded(text),
      refused(param, `${parent} was sent both as a value and as an object or list`),
      text
    )
})

t.test('A35: depth and count are limited', async t => {
  const narrow = (text: string) => decode(text, 3, 2)
  t.equal(narrow('&a=1&&b=2&c=3&').problem, null, 'nothing between two & is no parameter')
  t.strictSame(narrow('a=1&b=2&c=3&d=4').problem, {
    code: 'form_too_large',
    param: '',
    message: 'More than 3 parameters were sent.',
    assumption: 'A35'
  })
  const message = 'a[b][c][] is nested 3 deep; at most 2 are read.'
  t.strictSame(narrow('a[b][c][]=1').problem, {
    code: 'form_too_large',
    param: 'a[b][c][]',
    message,
    assumption: 'A35'
  })
})

t.test('A36: a name has at most 1,000 characters, brackets included, as decoded', async t => {
  const letters = (count: number) => 'é'.repeat(count)
  const cases: [name: string, length: number][] = [
    [`metadata[${letters(990)}]`, 1000],
    [`metadata[${letters(991)}]`, 1001],
    [encodeURIComponent(letters(1000)), 1000],
    [encodeURIComponent(letters(1001)), 1001],
    [`a${'[b]'.repeat(333)}`, 1000],
    [`a${'[b]'.repeat(100_000)}`, 300_001],
    ['-'.repeat(80_000), 80_000],
    ['%'.repeat(1000), 1000],
    ['%'.repeat(1001), 1001]
  ]
  for (const [name, length] of cases) {
    const { root, problem } = decode(`${name}=1`, 3, 400)
    const refused = {
      code: 'form_malformed',
      param: '',
      message: `The form: a name has ${length} characters; at most 1000 are read.`,
      assumption: 'A36'
    }
    if (length > 1000) t.strictSame([problem, root.size], [refused, 0], name.slice(0, 20))
    else t.notMatch(problem, { message: /characters/ }, name.slice(0, 20))
  }
})

t.test('FORM-1: the names of built-in properties are names like any other', async t => {
  for (const name of '__proto__ constructor prototype toString hasOwnProperty valueOf __defineGetter__'.split(
    ' '
  )) {
    t.equal(JSON.stringify(decoded(`${name}=x`)), JSON.stringify({ [name]: 'x' }), name)
    t.equal(
      JSON.stringify(decoded(`metadata[${name}][polluted]=x`)),
      JSON.stringify({ metadata: { [name]: { polluted: 'x' } } })
    )
    t.equal(JSON.stringify(decoded(`a[${name}][]=x`)), JSON.stringify({ a: { [name]: ['x'] } }))
    t.equal(decode(`${name}=1&${name}=2`).problem?.code, 'form_malformed')
  }
  decode('a[constructor][prototype][polluted]=x')
  for (const value of [{}, [], () => {}])
    t.equal((value as Record<string, unknown>).polluted, undefined)
})

t.test('A35: a form of any length is decoded or refused', async t => {
  const shapes: [shape: string, make: (count: number) => string][] = [
    [
      'many names',
      count => Array.from({ length: count }, (_, index) => `name${index}=value`).join('&')
    ],
    [
      'many keys of one object',
      count => Array.from({ length: count }, (_, index) => `metadata[key${index}]=value`).join('&')
    ],
    ['many items of one list', count => 'list[]=value&'.repeat(count)],
    ['one long value', count => `a=${'%20+x'.repeat(count * 3)}`],
    ['one name of many brackets', count => `a${'[b]'.repeat(count * 3)}=1`],
    ['one name that never closes', count => `${'a['.repeat(count * 3)}=1`],
    ['nothing but &', count => '&'.repeat(count * 10)]
  ]
  for (const [shape, make] of shapes) t.ok(decode(make(200_000), 1_000_000), shape)
})

t.test('A25: no form stays in memory', async t => {
  setFlagsFromString('--expose-gc')
  for (let i = 0; i < 400; i++)
    decode(Buffer.from(`metadata[num ${i}]=${'4'.repeat(1e6)}`).toString())
  runInNewContext('gc()')
  t.ok(process.memoryUsage().heapUsed < 3e8)
})
