import fc from 'fast-check'
import t from 'tap'
import {
  type DecimalProblem,
  type IntegerProblem,
  readDecimal,
  readInteger
} from '../../src/core/money.js'
import { rows } from '../support/rows.js'

const NINES = '9'.repeat(400)

t.test('A27: an integer is decimal digits only, up to 2^53-1', async t => {
  const cases = rows<[text: string, value: string, problem?: IntegerProblem]>(`
    0 0 | 5 5 | 007 7 | 9007199254740991 9007199254740991 | 0009007199254740991 9007199254740991
    9007199254740992 9007199254740992 too_large | 9007199254740993 9007199254740992 too_large | ${NINES} Infinity too_large
    -1 -1 negative | -5 -5 negative | -9007199254740991 -9007199254740991 negative | -${NINES} -Infinity negative | -0 0 negative
  `)
  for (const [text, value, problem = null] of cases)
    t.strictSame(readInteger(text), { value: Number(value), problem }, text.slice(0, 30))

  const words =
    '+5 5. .5 5.0 1.5 1e3 1E3 0x10 0b1 1_000 1,000 --5 - 5- ٥ ５ five NaN Infinity null []'
  for (const text of ['', ' ', ' 5', '5 ', '5\n', '5\0', '1 000', '- 5', ...words.split(' ')])
    t.strictSame(
      readInteger(text),
      { value: Number.NaN, problem: 'not_an_integer' },
      JSON.stringify(text)
    )
})

t.test('A27: a decimal number is accepted if it is printed as it was sent', async t => {
  const taken = rows<[text: string, value: string]>(`
    0 0 | 5 5 | -5 -5 | 007.50 7.5 | 0.1 0.1 | -0.5 -0.5 | .5 0.5 | -.5 -0.5 | 1.0 1 | 100 100 | 1e+06 1000000 | 1E6 1000000 | 1e06 1000000
    1.5e-07 0.00000015 | 0.15E+1 1.5 | 150e-2 1.5 | 1e23 1e23 | 100000000000000000000000 1e23 | 123456789012345680000 123456789012345680000
    9007199254740991 9007199254740991 | 9007199254740992 9007199254740992 | 1.7976931348623157e+308 ${Number.MAX_VALUE} | 5e-324 ${Number.MIN_VALUE}
    1${'0'.repeat(300)} 1e300 | 0.${'0'.repeat(299)}1 1e-300 | 1${'0'.repeat(400)}e-400 1 | 0.1${'0'.repeat(400)} 0.1
  `)
  const inexact = rows<[text: string, value: string]>(`
    9007199254740993 9007199254740992 | -9007199254740993 -9007199254740992 | 0.1000000000000000055 0.1 | 0.10000000000000001 0.1
    1.00000000000000000001 1 | 123456789012345678901 123456789012345680000 | 1e400 Infinity | -1e400 -Infinity | 1e-400 0 | -1e-400 0
    4e-324 ${Number.MIN_VALUE} | 1e${NINES} Infinity | 1e-${NINES} 0 | ${NINES} Infinity
  `)
  for (const [text, value] of taken)
    t.strictSame(readDecimal(text), { value: Number(value), problem: null }, text.slice(0, 30))
  for (const [text, value] of inexact)
    t.strictSame(
      readDecimal(text),
      { value: Number(value), problem: 'inexact' satisfies DecimalProblem },
      text.slice(0, 30)
    )
})

t.test('A27: -0 is 0, as JSON has it', async t => {
  for (const text of ['-0', '-0.0', '-0e5', '-.0', '0e400', '0e-400', `0e${NINES}`, '000']) {
    t.strictSame(readDecimal(text), { value: 0, problem: null }, text.slice(0, 20))
    t.equal(Object.is(readDecimal(text).value, 0), true, 'without a sign')
  }
  t.equal(Object.is(readInteger('-0').value, 0), true)
})

t.test('A27: text that no client prints is not a decimal number', async t => {
  const words =
    '. - -. 5. 5.e3 +5 1,5 1.2.3 1e e5 1e5.5 1e+-5 --1 1_000 0x10 0x1p-2 ٥ ５ NaN Infinity -Inf 1f ½'
  for (const text of ['', ' ', ' 5', '5 ', '5\n', '1 000', ...words.split(' ')])
    t.strictSame(
      readDecimal(text),
      { value: Number.NaN, problem: 'not_a_number' },
      JSON.stringify(text)
    )
})

t.test('A27: every JSON number is accepted as JavaScript, Go and C print it', async t => {
  const holds = (value: number, text: string) => {
    const read = readDecimal(text)
    return read.problem === null && read.value === value
  }
  const double = fc.double({ noDefaultInfinity: true, noNaN: true })
  const tried = { seed: 20_260_301, numRuns: 5000 }
  fc.assert(
    fc.property(double, fc.nat(20), (value, digits) => {
      const text = value.toExponential(digits)
      const isHeld = holds(Number(text), text) || readDecimal(text).problem === 'inexact'
      return isHeld && holds(value, JSON.stringify(value)) && holds(value, value.toExponential())
    }),
    tried
  )
  t.pass()
})

t.test('A27: a hostile text is read, whatever its length', async t => {
  const long = '0'.repeat(1_000_000)
  const ones = '1'.repeat(1_000_000)
  for (const text of [
    ones,
    `1${long}1`,
    `${long}1`,
    `.${long}`,
    `1e${ones}`,
    '1.'.repeat(1_000_000),
    '-'.repeat(1_000_000)
  ]) {
    readInteger(text)
    readDecimal(text)
  }
  t.pass('all of them end')
})
