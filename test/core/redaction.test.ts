import t from 'tap'
import {
  compileKeyPattern,
  isSecretIn,
  isSecretName,
  MASK,
  masked,
  maskedThroughout,
  OPEN_NAMES,
  withoutKeys,
  withoutSecrets
} from '../../src/core/redaction.js'
import { cpuTime } from '../support/cpu.js'

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

t.test('A25: a number is masked wherever it is in a text and however it is grouped', async t => {
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

t.test('A18: API keys are masked wherever they are a word of their own', async t => {
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

t.test('A25: names of secrets, however they are written', async t => {
  const secret = [
    'number',
    'csc',
    'token',
    'account_number',
    'accountNumber',
    'ACCOUNT-NUMBER',
    'routing_number',
    'cvc',
    'CVV2',
    'pan',
    'Card Number',
    'apiKey',
    'password',
    'Authorization'
  ]
  const open = ['last4', 'amount', 'display_name', 'adjustment_number', 'metadata', 'numbers', 'note', '', 'toString', '__proto__']

  for (const name of secret) t.strictSame([isSecretName(name), OPEN_NAMES.has(name)], [true, false], name)
  for (const name of open) t.equal(isSecretName(name), false, name)
  t.equal(OPEN_NAMES.has('last4'), true)
})

t.test('A25: JSON that was sent as a form shows no secret either', async t => {
  const keys = compileKeyPattern(['sk_test', 'k$(1)'])
  const cases: [text: string, shown: string][] = [
    ['{"csc":"123","amount":5}', `{"csc":"${MASK}","amount":5}`],
    ['{"csc" : 123, "number": "4242"}', `{"csc":"${MASK}", "number":"${MASK}"}`],
    ['{"token":"a\\"b","x":"y"}', `{"token":"${MASK}","x":"y"}`],
    ['{"cvc":"12', `{"cvc":"${MASK}"`],
    ['{"note":"sk_test"}', `{"note":"${MASK}"}`],
    ['"4242424242424242"', '"****************"'],
    ['T-12', 'T-12'],
    ['k$(1)', MASK],
    ['a longer text with sk_test', `a longer text with ${MASK}`]
  ]
  for (const [text, shown] of cases) t.equal(withoutSecrets(text, keys), shown, text)
  t.strictSame(
    [withoutSecrets('sk_test', ['sk_test']), withoutSecrets('sk_test'), withoutSecrets('sk_test', compileKeyPattern([]))],
    [MASK, 'sk_test', 'sk_test']
  )
})

t.test('A18: whether a key may be in a text, before it is looked for word by word', async t => {
  const keys = compileKeyPattern(['sk_test', 'sk_test_merchant'])

  for (const list of [keys, [...keys]]) {
    t.strictSame(
      ['sk_test', 'xsk_test', '4242424242424242', 'T-12', ''].map(text => isSecretIn(text, list)),
      [true, true, true, false, false]
    )
    t.strictSame(
      ['sk_test', 'xsk_test', '4242424242424242', 'sk_test_merchant sk_test'].map(text => withoutKeys(text, list)),
      [MASK, 'xsk_test', '4242424242424242', `${MASK} ${MASK}`]
    )
  }
})

t.test('A25: card numbers are masked throughout a value, in texts and as numbers', async t => {
  const value = { note: 'card 4242424242424242', number: 4_242_424_242_424_242, list: ['4242-4242-4242-4242', 5, null, true], deep: { a: 'T-12' } }

  t.strictSame(maskedThroughout(value), {
    note: 'card ****************',
    number: '****************',
    list: ['****-****-****-****', 5, null, true],
    deep: { a: 'T-12' }
  } as never)
  t.equal(value.number, 4_242_424_242_424_242)
})
