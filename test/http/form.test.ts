import t from 'tap'
import { createFormDecoder, FormList, type FormNode, FormObject } from '../../src/core/form.js'
import { cpuTime } from '../support/cpu.js'

const decode = createFormDecoder({ parameters: 1000, depth: 4 })

/** A decoded form as plain data: lists as arrays, an object that was cleared too with `(cleared)`. */
function plain(node: FormNode): unknown {
  if (typeof node === 'string') return node
  if (node instanceof FormList) return node.items
  const parts = [...node.parts].map(([name, part]) => [name, plain(part)])
  return Object.fromEntries(node.cleared ? [...parts, ['(cleared)', true]] : parts)
}

t.test('FORM-1: names and values are decoded', async t => {
  const cases: [text: string, decoded: object][] = [
    ['', {}],
    ['a=b', { a: 'b' }],
    ['a=b&c=d', { a: 'b', c: 'd' }],
    ['&&a=b&&', { a: 'b' }],
    ['a', { a: '' }],
    ['a=', { a: '' }],
    ['a=b=c', { a: 'b=c' }],
    ['a=1+2', { a: '1 2' }],
    ['a=1%202', { a: '1 2' }],
    ['a=1%2B2', { a: '1+2' }],
    ['a+b=c', { 'a b': 'c' }],
    ['%61=%62', { a: 'b' }],
    ['a=%26%3D', { a: '&=' }],
    ['a=%C3%A9%E2%82%AC%F0%9F%8D%B7', { a: 'é€🍷' }],
    ['a=é', { a: 'é' }],
    ['a=%00', { a: '\0' }],
    ['a=;b=c', { a: ';b=c' }],
    [' a = b ', { ' a ': ' b ' }],
    ['A=1&a=2', { A: '1', a: '2' }]
  ]
  for (const [text, decoded] of cases) {
    const { root, problem } = decode(text)

    t.equal(problem, null, text)
    t.strictSame(plain(root), decoded, text)
  }
})

t.test('FORM-2: brackets nest, however they are encoded', async t => {
  const cases: [text: string, decoded: object][] = [
    ['address[city]=Boston', { address: { city: 'Boston' } }],
    ['address%5Bcity%5D=Boston', { address: { city: 'Boston' } }],
    ['address%5bcity%5d=Boston', { address: { city: 'Boston' } }],
    ['address%5Bcity]=Boston', { address: { city: 'Boston' } }],
    ['a[b]=1&a[c]=2', { a: { b: '1', c: '2' } }],
    ['a[b]=1&x=y&a[c]=2', { a: { b: '1', c: '2' }, x: 'y' }],
    ['a[b][c]=1&a[b][d]=2&a[e]=3', { a: { b: { c: '1', d: '2' }, e: '3' } }],
    ['a[b][c][d][e]=1', { a: { b: { c: { d: { e: '1' } } } } }],
    ['a[0]=1', { a: { 0: '1' } }],
    ['a[b c]=1', { a: { 'b c': '1' } }],
    ['a[]=1', { a: ['1'] }],
    ['a[]=1&a[]=2&a[]=', { a: ['1', '2', ''] }],
    ['a[b][]=1&a[b][]=2', { a: { b: ['1', '2'] } }],
    ['a[][b]=1', { a: ['1'] }]
  ]
  for (const [text, decoded] of cases) {
    const { root, problem } = decode(text)

    t.equal(problem, null, text)
    t.strictSame(plain(root), decoded, text)
  }
})

t.test('META-3: an empty value for the whole beside its parts clears first, in both orders', async t => {
  const cases: [text: string, decoded: object][] = [
    ['metadata=&metadata[k]=v', { metadata: { k: 'v', '(cleared)': true } }],
    ['metadata[k]=v&metadata=', { metadata: { k: 'v', '(cleared)': true } }],
    ['metadata[k]=v&metadata', { metadata: { k: 'v', '(cleared)': true } }],
    ['metadata[a]=1&metadata=&metadata[b]=2', { metadata: { a: '1', b: '2', '(cleared)': true } }],
    ['metadata=', { metadata: '' }]
  ]
  for (const [text, decoded] of cases) {
    const { root, problem } = decode(text)

    t.equal(problem, null, text)
    t.strictSame(plain(root), decoded, text)
  }
})

t.test('FORM-2, A36: unbalanced brackets and empty names are distinguished from other faults', async t => {
  for (const name of [
    'a[',
    'a]',
    'a[b',
    'a]b[',
    'a[b]c',
    'a[b]]',
    'a[[b]]',
    'a[b[c]]',
    'a[b]c]',
    'a[b][',
    'a[b]c[d]',
    '[a]',
    '[]',
    '[',
    ']',
    'a]b]',
    'a][b]',
    'a%5B'
  ]) {
    const { root, problem } = decode(`${name}=1&after=2`)

    t.equal(problem?.code, 'form_malformed', name)
    t.equal(problem?.param, decodeURIComponent(name))
    t.equal(problem?.rule, 'FORM-2')
    t.equal(problem?.message, `${decodeURIComponent(name)}: the brackets are not balanced: a nested name is written parent[child].`)
    t.strictSame(plain(root), {}, 'what stands behind is not read')
  }
  for (const text of ['=1', '=', 'a=1&=2']) {
    const { problem } = decode(text)

    t.strictSame(problem, { code: 'form_malformed', param: '', message: 'The form: a value has no name before its =.', assumption: 'A36' }, text)
  }
})

t.test('FORM-1, A36: broken percent-encoding names the parameter, and so do bytes that are not UTF-8', async t => {
  const cases: [text: string, param: string, part: 'name' | 'value', isBytes: boolean][] = [
    ['amount=%', 'amount', 'value', false],
    ['amount=%2', 'amount', 'value', false],
    ['amount=%zz', 'amount', 'value', false],
    ['amount=100%', 'amount', 'value', false],
    ['amount=%ff', 'amount', 'value', true],
    ['amount=%ff%', 'amount', 'value', false],
    ['amount=%C3', 'amount', 'value', true],
    ['amount=%C3%28', 'amount', 'value', true],
    ['amount=%ED%A0%80', 'amount', 'value', true],
    ['address%5Bcity%5D=%E2%82', 'address[city]', 'value', true],
    ['%=1', '%', 'name', false],
    ['%zz=1', '%zz', 'name', false],
    ['%ff', '%ff', 'name', true],
    ['ab%4=1', 'ab%4', 'name', false],
    ['%zz%61%62=1', '%zzab', 'name', false],
    ['%zz%ff%61=secret', '%zz%ff%61', 'name', false]
  ]
  for (const [text, param, part, isBytes] of cases) {
    const { problem } = decode(text)

    const message = isBytes
      ? `${param}: the bytes of the ${part} are not UTF-8.`
      : `${param}: the percent-encoding of the ${part} is broken: % must be followed by two hexadecimal digits.`
    t.strictSame(problem, { code: 'form_malformed', param, message, ...(isBytes && { assumption: 'A36' }) }, text)
  }
})

t.test('A36: a name is one value, one list or one object, in whatever order they come', async t => {
  const twice: [text: string, param: string][] = [
    ['a=1&a=2', 'a'],
    ['a=1&a=1', 'a'],
    ['a=&a=', 'a'],
    ['a=1&a=', 'a'],
    ['a=&a=1', 'a'],
    ['a=1&b=2&%61=3', 'a'],
    ['a[b]=1&a[b]=2', 'a[b]'],
    ['metadata=&metadata[k]=v&metadata=', 'metadata'],
    ['metadata[k]=v&metadata=&metadata=', 'metadata']
  ]
  for (const [text, param] of twice) {
    const { problem } = decode(text)

    t.strictSame(problem, { code: 'form_malformed', param, message: `${param}: it was given twice; a parameter takes one value.`, assumption: 'A36' }, text)
  }

  const mixed: [text: string, param: string, parent: string][] = [
    ['a=1&a[b]=2', 'a[b]', 'a'],
    ['a[b]=2&a=1', 'a', 'a'],
    ['a=1&a[]=2', 'a[]', 'a'],
    ['a[]=2&a=1', 'a', 'a'],
    ['a[]=2&a=', 'a', 'a'],
    ['a=&a[]=2', 'a[]', 'a'],
    ['a[]=1&a[b]=2', 'a[b]', 'a'],
    ['a[b]=1&a[]=2', 'a[]', 'a'],
    ['a[b]=1&a[b][c]=2', 'a[b][c]', 'a[b]'],
    ['a[b][c]=1&a[b]=2', 'a[b]', 'a[b]'],
    ['a[b][]=1&a[b][c]=2', 'a[b][c]', 'a[b]'],
    ['a[b][]=1&a[b]=2', 'a[b]', 'a[b]'],
    ['a[b][c]=1&a[b][]=2', 'a[b][]', 'a[b]']
  ]
  for (const [text, param, parent] of mixed) {
    const { problem } = decode(text)

    t.strictSame(
      problem,
      { code: 'form_malformed', param, message: `${param}: ${parent} was sent both as a value and as an object or list.`, assumption: 'A36' },
      text
    )
  }
})

t.test('A35: depth and count are bounded', async t => {
  const narrow = createFormDecoder({ parameters: 3, depth: 2 })

  t.equal(narrow('a=1&b=2&c=3').problem, null)
  t.equal(narrow('&a=1&&b=2&c=3&').problem, null, 'nothing between two & is no parameter')
  t.strictSame(narrow('a=1&b=2&c=3&d=4').problem, { code: 'form_too_large', param: '', message: 'More than 3 parameters were sent.', assumption: 'A35' })
  t.equal(narrow('a[b][c]=1').problem, null)
  for (const param of ['a[b][c][d]', 'a[b][c][]']) {
    const message = `${param} is nested 3 deep; at most 2 are read.`
    t.strictSame(narrow(`${param}=1`).problem, { code: 'form_too_large', param, message, assumption: 'A35' })
  }
  t.equal(decode('a[1][2][3][4]=1').problem, null)
  t.equal(decode('a[1][2][3][4][5]=1').problem?.code, 'form_too_large')
  t.equal(decode(`a${'[b]'.repeat(100_000)}=1`).problem?.code, 'form_too_large')
})

t.test('FORM-1: the names of built-in properties are names like any other, and no prototype is touched', async t => {
  const before = Object.getOwnPropertyNames(Object.prototype)
  for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__']) {
    t.equal(JSON.stringify(plain(decode(`${name}=x`).root)), JSON.stringify({ [name]: 'x' }), name)
    t.equal(JSON.stringify(plain(decode(`${name}[polluted]=x`).root)), JSON.stringify({ [name]: { polluted: 'x' } }))
    t.equal(JSON.stringify(plain(decode(`metadata[${name}]=x`).root)), JSON.stringify({ metadata: { [name]: 'x' } }))
    t.equal(JSON.stringify(plain(decode(`metadata[${name}][polluted]=x`).root)), JSON.stringify({ metadata: { [name]: { polluted: 'x' } } }))
    t.equal(JSON.stringify(plain(decode(`a[${name}][]=x`).root)), JSON.stringify({ a: { [name]: ['x'] } }))
    t.equal(decode(`${name}=1&${name}=2`).problem?.code, 'form_malformed')
  }
  decode('constructor[prototype][polluted]=x')
  decode('a[constructor][prototype][polluted]=x')

  t.equal(({} as Record<string, unknown>).polluted, undefined)
  t.equal(([] as unknown as Record<string, unknown>).polluted, undefined)
  t.equal((() => {}).prototype, undefined)
  t.strictSame(Object.getOwnPropertyNames(Object.prototype), before)
})

t.test('A35: the time to decode grows no faster than the form', async t => {
  const generous = createFormDecoder({ parameters: 1_000_000, depth: 4 })
  const shapes: [shape: string, make: (count: number) => string][] = [
    ['many names', count => Array.from({ length: count }, (_, index) => `name${index}=value`).join('&')],
    ['many keys of one object', count => Array.from({ length: count }, (_, index) => `metadata[key${index}]=value`).join('&')],
    ['many items of one list', count => 'list[]=value&'.repeat(count)],
    ['one long value', count => `a=${'%20+x'.repeat(count * 3)}`],
    ['one name of many brackets', count => `a${'[b]'.repeat(count * 3)}=1`],
    ['one name that never closes', count => `${'a['.repeat(count * 3)}=1`],
    ['nothing but &', count => '&'.repeat(count * 10)]
  ]
  const quickest = (text: string) =>
    Math.min(
      ...Array.from({ length: 5 }, () => {
        const start = cpuTime()
        generous(text)
        return cpuTime() - start
      })
    )
  for (const [shape, make] of shapes) {
    const [small, large] = [make(2000), make(20_000)]
    generous(small)

    t.ok(quickest(large) < Math.max(quickest(small), 0.5) * 60, `${shape}: ten times the form takes nothing like a hundred times the time`)
  }
})

t.test('FORM-1: no text makes the decoder throw', async t => {
  let seed = 42
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    return (seed >>> 8) % below
  }
  const pieces = [
    'a',
    'b',
    '[',
    ']',
    '[]',
    '[b]',
    '=',
    '&',
    '%',
    '%5B',
    '%5D',
    '%zz',
    '%ff',
    '%C3',
    '+',
    '__proto__',
    'constructor',
    '\0',
    '\uD800',
    'é',
    '🍷',
    ';',
    '#'
  ]
  const texts = Array.from({ length: 5000 }, (_, index) =>
    index % 2 === 0
      ? Array.from({ length: random(30) }, () => pieces[random(pieces.length)]).join('')
      : Array.from({ length: random(60) }, () => String.fromCharCode(random(256))).join('')
  )
  let problems = 0
  for (const text of texts) {
    const { root, problem } = decode(text)
    if (!(root instanceof FormObject)) t.fail(text)
    if (problem) {
      problems++
      if (!['form_malformed', 'form_too_large'].includes(problem.code)) t.fail(text)
    }
  }

  t.ok(problems > 1000 && problems < 5000, 'both right and broken forms were among them')
  t.equal(({} as Record<string, unknown>).a, undefined)
  t.equal(({} as Record<string, unknown>).b, undefined)
})
