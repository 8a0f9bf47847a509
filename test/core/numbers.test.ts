import fc from 'fast-check'
import t from 'tap'
import { type DecimalProblem, type IntegerProblem, readDecimal, readInteger } from '../../src/core/numbers.js'
import { cpuTime } from '../support/cpu.js'

t.test('A27: an integer is decimal digits only, up to 2^53-1', async t => {
  const cases: [text: string, value: number, problem: IntegerProblem | null][] = [
    ['0', 0, null],
    ['5', 5, null],
    ['007', 7, null],
    ['9007199254740991', 9_007_199_254_740_991, null],
    ['0009007199254740991', 9_007_199_254_740_991, null],
    ['9007199254740992', 9_007_199_254_740_992, 'too_large'],
    ['9007199254740993', 9_007_199_254_740_992, 'too_large'],
    ['1'.repeat(400), Number.POSITIVE_INFINITY, 'too_large'],
    ['-1', -1, 'negative'],
    ['-5', -5, 'negative'],
    ['-9007199254740991', -9_007_199_254_740_991, 'negative'],
    [`-${'1'.repeat(400)}`, Number.NEGATIVE_INFINITY, 'negative'],
    ['-0', 0, 'negative']
  ]
  for (const [text, value, problem] of cases) t.strictSame(readInteger(text), { value, problem }, text.slice(0, 30))
})

t.test('A27: what is no integer', async t => {
  const words = '+5 5. .5 5.0 1.5 1e3 1E3 0x10 0b1 1_000 1,000 --5 - 5- ٥ ５ five NaN Infinity null []'
  const cases = ['', ' ', ' 5', '5 ', '5\n', '5\0', '1 000', '- 5', ...words.split(' ')]
  for (const text of cases) t.strictSame(readInteger(text), { value: Number.NaN, problem: 'not_an_integer' }, JSON.stringify(text))
})

t.test('A27: a decimal number is taken when it comes back as it is', async t => {
  const cases: [text: string, value: number][] = [
    ['0', 0],
    ['5', 5],
    ['-5', -5],
    ['007.50', 7.5],
    ['0.1', 0.1],
    ['-0.5', -0.5],
    ['.5', 0.5],
    ['-.5', -0.5],
    ['1.0', 1],
    ['100', 100],
    ['1e+06', 1_000_000],
    ['1E6', 1_000_000],
    ['1e06', 1_000_000],
    ['1.5e-07', 1.5e-7],
    ['0.15E+1', 1.5],
    ['150e-2', 1.5],
    ['1e23', 1e23],
    ['100000000000000000000000', 1e23],
    ['123456789012345680000', 123_456_789_012_345_680_000],
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740992', 9_007_199_254_740_992],
    ['1.7976931348623157e+308', Number.MAX_VALUE],
    ['5e-324', Number.MIN_VALUE],
    [`1${'0'.repeat(300)}`, 1e300],
    [`0.${'0'.repeat(299)}1`, 1e-300],
    [`1${'0'.repeat(400)}e-400`, 1],
    [`0.1${'0'.repeat(400)}`, 0.1]
  ]
  for (const [text, value] of cases) t.strictSame(readDecimal(text), { value, problem: null }, text.slice(0, 30))
})

t.test('A27: -0 is 0, as JSON has it', async t => {
  for (const text of ['-0', '-0.0', '-0e5', '-.0', '0e400', '0e-400', `0e${'9'.repeat(400)}`, '000']) {
    t.strictSame(readDecimal(text), { value: 0, problem: null }, text.slice(0, 20))
    t.equal(Object.is(readDecimal(text).value, 0), true, 'without a sign')
  }
  t.equal(Object.is(readInteger('-0').value, 0), true)
})

t.test('A27: one that a double cannot hold exactly is refused, not rounded', async t => {
  const cases: [text: string, value: number][] = [
    ['9007199254740993', 9_007_199_254_740_992],
    ['-9007199254740993', -9_007_199_254_740_992],
    ['0.1000000000000000055', 0.1],
    ['0.10000000000000001', 0.1],
    ['1.00000000000000000001', 1],
    ['123456789012345678901', 123_456_789_012_345_680_000],
    ['1e400', Number.POSITIVE_INFINITY],
    ['-1e400', Number.NEGATIVE_INFINITY],
    ['1e-400', 0],
    ['-1e-400', 0],
    ['4e-324', Number.MIN_VALUE],
    [`1e${'9'.repeat(400)}`, Number.POSITIVE_INFINITY],
    [`1e-${'9'.repeat(400)}`, 0],
    ['9'.repeat(400), Number.POSITIVE_INFINITY]
  ]
  for (const [text, value] of cases) t.strictSame(readDecimal(text), { value, problem: 'inexact' satisfies DecimalProblem }, text.slice(0, 30))
})

t.test('A27: what no client prints is no decimal number', async t => {
  const words = '. - -. 5. 5.e3 +5 1,5 1.2.3 1e e5 1e5.5 1e+-5 --1 1_000 0x10 0x1p-2 ٥ ５ NaN Infinity -Inf 1f ½'
  const cases = ['', ' ', ' 5', '5 ', '5\n', '1 000', ...words.split(' ')]
  for (const text of cases) t.strictSame(readDecimal(text), { value: Number.NaN, problem: 'not_a_number' }, JSON.stringify(text))
})

t.test('A27: every number that JSON can hold is taken as JavaScript, Go and C print it', async t => {
  const holds = (value: number, text: string) => {
    const read = readDecimal(text)
    return read.problem === null && read.value === value
  }
  fc.assert(
    fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), value => holds(value, JSON.stringify(value)) && holds(value, value.toExponential())),
    { seed: 20_260_301, numRuns: 5000 }
  )
  fc.assert(
    fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), fc.nat(20), (value, digits) => {
      const text = value.toExponential(digits)
      return holds(Number(text), text) || readDecimal(text).problem === 'inexact'
    }),
    { seed: 20_260_301, numRuns: 5000 }
  )
  t.pass()
})

t.test('A27: a hostile text is read in good time', async t => {
  const long = 1_000_000
  const begun = cpuTime()
  for (const text of [
    '1'.repeat(long),
    `1${'0'.repeat(long)}1`,
    `${'0'.repeat(long)}1`,
    `.${'0'.repeat(long)}`,
    `1e${'1'.repeat(long)}`,
    `${'1.'.repeat(long)}`,
    '-'.repeat(long)
  ]) {
    readInteger(text)
    readDecimal(text)
  }
  t.ok(cpuTime() - begun < 1000, `${cpuTime() - begun} ms`)
})
