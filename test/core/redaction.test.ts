import t from 'tap'
import { holdsCardNumber, withoutCardNumbers } from '../../src/core/card-numbers.js'
import { decodeForm, FormObject } from '../../src/core/form.js'
import { drawnFraction } from '../../src/core/ids.js'
import { MASK } from '../../src/core/mask.js'
import {
  isSecretName,
  maskedThroughout,
  openNames,
  redactForm,
  SecretWords,
  withoutSecrets
} from '../../src/core/redaction.js'
import { parametersIn } from '../../src/evidence/why.js'

/** A number of this many digits with a valid Luhn checksum. */
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

t.test('A25: near misses of card numbers: digits, checksum, text around and between', t => {
  // of 13 to 19 digits, with valid and invalid checksums; none contains a shorter card number
  const numbers: [digits: string, isCard: boolean][] = [
    ['477053630877', false],
    ['4037718706342', true],
    ['4664214542162', false],
    ['4095718698966707', true],
    ['4612668546019816', false],
    ['4982282670866707445', true],
    ['4148955704452155556', false],
    ['44047595106275188550', false],
    ['44852405080678183577', false]
  ]
  const written: [form: string, between: string, isMasked: boolean][] = [
    ['#', '', true],
    ['#', ' ', true],
    ['#', '-', true],
    ['card x#y', '', true],
    ['card x#y', '-', true],
    ['é#%', '', true],
    ['#', '    ', false],
    ['#', 'x', false],
    ['#', '\n', false],
    ['#', ' x ', false]
  ]
  for (const [digits, isCard] of numbers) {
    for (const [form, between, isMasked] of written) {
      const text = form.replace('#', digits.replace(/\d{4}(?=\d)/g, `$&${between}`))
      const shown = isCard && isMasked ? text.replace(/\d/g, '*') : text
      t.equal(withoutCardNumbers(text), shown, JSON.stringify(text))
    }
  }
  for (let length = 13; length <= 19; length++) {
    const number = luhn('4929387261053847291'.slice(0, length - 1))
    t.equal(withoutCardNumbers(`card ${number}.`), `card ${'*'.repeat(length)}.`)
  }
  t.end()
})

t.test('A25: a number is masked anywhere in a text and in any grouping', async t => {
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
  for (const [text, shown] of cases) t.equal(withoutCardNumbers(text), shown, text)
})

t.test('A25: inside a longer run of digits no digit of a Luhn-valid stretch is shown', async t => {
  const number = '4242424242424242'
  for (const before of ['', '1', '20', '%20', '0x', '7'.repeat(5), '9'.repeat(30)]) {
    for (const after of ['', '1', '99', '%20', '0'.repeat(25)]) {
      const shown = withoutCardNumbers(`${before}${number}${after}`)
      t.equal(shown.length, before.length + number.length + after.length)
      t.equal(
        shown.slice(before.length, before.length + number.length),
        '*'.repeat(16),
        `${before}…${after} ${shown}`
      )
    }
  }
  t.equal(
    withoutCardNumbers('%204242424242424242').slice(0, 2),
    '%2',
    'what is before it is readable'
  )
})

t.test('A25: overlapping stretches are masked whole', async t => {
  let overlaps = 0
  for (let seed = 1; seed <= 300; seed++) {
    const run = Array.from(
      { length: 24 },
      (_, index) => (seed * 7919 * (index + 3) * (index + 11)) % 10
    ).join('')
    const shown = withoutCardNumbers(run)
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
    const grouped = withoutCardNumbers(run.replace(/\d{4}(?=\d)/g, '$& '))
    if (grouped.replaceAll(' ', '') !== shown) t.fail(`${run} ${grouped}`)
  }
  t.ok(overlaps > 300)
})

t.test('A25: a body full of digits is masked', async t => {
  t.equal(withoutCardNumbers('0'.repeat(1_000_000)), '*'.repeat(1_000_000))
  t.equal(withoutCardNumbers('8377835337406812-'.repeat(60_000)).length, 17 * 60_000)
})

t.test('A25: text that is not a card number is unchanged', async t => {
  const texts = `
    T-12; 8377835337406812; 9622830388368595748; 025840856581089745372965; 8377-8353-3740-6812; 1234567890123; 2026-03-01T18:00:00.000Z; 4242 4242
    req_42; 123456789012; 1767225600000 ms; 1234.4242.4242.4242; 2025-07-01T10:00:00.000Z; 2025-07-30 22:00:00.000000+02:00
    2025-10-30 10:00:00.000+02:00; 30.12.2026 14:15:16; 10:00:00 11:00:00 12:00:00; 42:42:42:42:42:42:42:42; 4242:42:42:4242:4242
    1200|1300|1400|1500|1600; 617-555-0100|617-555-0101; +1 617 555 0100; 4242    4242    4242    4242; 4242.4242.4242.4243`
  for (const text of texts.split(/;\s|\n */)) t.equal(withoutCardNumbers(text), text, text)
})

t.test('A25: a number is masked with any separators, in the digits of any script', async t => {
  const number = '4242424242424242'
  const separators = [
    ...' -./_,+:|\t\u00a0\u2009\u2013\u2212\uff0e\u200b\u200c\u200d\ufeff\u2060',
    ', ',
    ' - ',
    ' / ',
    ' | ',
    '\u200b-\u200b',
    '\u200b'.repeat(4)
  ]
  for (const separator of separators) {
    const ways = [['card 4242', '4242', '4242', '4242!'], ['3782', '822463', '10005'], [...number]]
    for (const groups of ways)
      t.equal(
        withoutSecrets(groups.join(separator)),
        groups.join(separator).replace(/\d/g, '*'),
        JSON.stringify([separator, groups])
      )
  }
  t.equal(withoutSecrets('4242-4242.4242/4242'), '****-****.****/****', 'mixed')
  // fullwidth, Arabic-Indic, Devanagari, mathematical bold and monospace, Adlam
  for (const zero of [0xff10, 0x660, 0x966, 0x1d7ce, 0x1d7f6, 0x1e950]) {
    const digits = [...number].map(digit => String.fromCodePoint(zero + Number(digit)))
    t.equal(
      withoutSecrets(`\u00e9 ${digits.join('')} 5`),
      `\u00e9 ${'*'.repeat(16)} 5`,
      zero.toString(16)
    )
    t.equal(
      withoutSecrets(`4242 4242 4242 ${digits.slice(0, 4).join('')}`),
      '**** **** **** ****',
      `mixed with ASCII, ${zero.toString(16)}`
    )
  }
  const percent = (text: string) =>
    Array.from(text, character => `%${character.charCodeAt(0).toString(16)}`).join('')
  t.equal(withoutSecrets(`n=${percent(number)}`), `n=${'*'.repeat(16)}`)
  t.equal(withoutSecrets('4242%204242%204242%204242'), '**** **** **** ****')
  t.equal(withoutSecrets('4242%2d4242%2d4242%2d4242%ff'), '****-****-****-****%ff')
  t.equal(withoutSecrets('100%25 of%20nothing'), '100%25 of%20nothing')
  t.equal(withoutSecrets(`%0a${percent(number)}`), `?${'*'.repeat(16)}`, 'no control character')
})

t.test('A25: Basic credentials of a known key are masked, and no other base64', async t => {
  const words = new SecretWords(['sk_test_merchant', 'k$(1)+?>', 'ab'])
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  for (const key of ['sk_test_merchant:', 'k$(1)+?>:', 'ab:']) {
    t.equal(
      withoutSecrets(`Authorization: Basic ${base64(key)}`, words),
      `Authorization: Basic ${MASK}`,
      key
    )
    t.equal(withoutSecrets(base64(key), words), MASK, `${key} alone`)
  }
  for (const other of ['sk_live_other:', '8377835337406812', 'hello, world', 'T-12 T-13 T-14']) {
    const text = `Basic ${base64(other)}`
    t.equal(withoutSecrets(text, words), text, other)
  }
})

t.test('A18: API keys are masked wherever they are separate words', async t => {
  const cases: [text: string, shown: string][] = [
    ['sk_test_merchant', '***'],
    ['No Location has the id sk_test_merchant.', 'No Location has the id ***.'],
    ['no path /locations/sk_test_merchant/x', 'no path /locations/***/x'],
    ['key=sk_test_merchant&x=sk_test', 'key=***&x=***'],
    ['"sk_test_merchant"', '"***"'],
    ['sk_test_merchant2 xsk_test_merchant', 'sk_test_merchant2 xsk_test_merchant'],
    ['the key k$(1)+? and sk-live', 'the key *** and ***'],
    ['parameter a', 'parameter ***'],
    ['%73k_test', '***'],
    ['4242424242424242 sk_test', '**************** ***']
  ]
  const others = Array.from({ length: 1000 }, (_, nth) => `${nth.toString(36)}other-key-${nth}`)
  for (const more of [[], others]) {
    const keys = ['sk_test', 'sk_test_merchant', 'k$(1)+?', 'sk-live', 'a', ...more]
    const words = new SecretWords(keys)
    const chained = new SecretWords(['sk_test_merchant'], words)
    for (const [text, shown] of cases) {
      t.equal(withoutSecrets(text, words), shown, `${text}, of ${keys.length}`)
      t.equal(withoutSecrets(text, chained), shown, `${text}, of ${keys.length} and one more`)
      t.equal(
        words.maskedIn(text.replace(/\d{16}|%73/, 's')),
        shown.replace(/\*{16}/, 's').replace(/^\*{3}$/, words.maskedIn(text.replace('%73', 's')))
      )
    }
    t.strictSame(
      [
        words.has('a'),
        words.has('b'),
        chained.has('sk_test_merchant'),
        chained.has('a'),
        chained.has('b')
      ],
      [true, false, true, true, false]
    )
  }
  t.equal(withoutSecrets('sk_test_merchant'), 'sk_test_merchant')
  t.equal(new SecretWords(['key-one-key', 'key']).maskedIn('key-one-key key'), '*** ***', 'longest')
})

t.test('A25: a hundred thousand words, and texts of any length, are masked', async t => {
  const words = new SecretWords(
    Array.from({ length: 125_000 }, (_, nth) => `sk_${nth}_${'x'.repeat(nth % 50)}`)
  )
  t.equal(withoutSecrets(`sk_7_${'x'.repeat(7)} and sk_124999_x`, words), `${MASK} and sk_124999_x`)
  const texts = [
    '1...',
    '12 ',
    '123456789012x',
    '%34',
    '"',
    '"a":',
    '"card":{',
    'csc="',
    '\\',
    'Basic ',
    'sk_',
    '\uff11',
    '4242424242424242.'
  ]
  for (const part of texts)
    t.ok(withoutSecrets(part.repeat(400_000 / part.length), words), JSON.stringify(part))
})

t.test('A25: a name is refused for the number of an issuer alone', async t => {
  const refused = `4242424242424242 run-4242-4242-4242-4242 4242.4242.4242.4242 4242_4242_4242_4242 x378282246310005 5555555555554444.1 2223003122003222
    6011111111111117 3530111333300000 30569309025904 5018000000000009 2200000000000004 8171999927660000`
  const taken =
    'worker-1 4242424242424243 1767225600000 1767225600001 20260301180000 2026-03-01-18-00-00-123 14242424242424242'
  const ofIssuers = '492938726105 492938726105384729 560000000000 580000000000 690000000000'
    .split(' ')
    .map(luhn)
  const ofNobody = '4929387261053 49293872610538472 590000000000000 700000000000000 900000000000000'
    .split(' ')
    .map(luhn)

  for (const name of [...refused.split(/\s+/), ...ofIssuers])
    t.equal(holdsCardNumber(name), true, name)
  for (const name of ['', ...taken.split(' '), ...ofNobody])
    t.equal(holdsCardNumber(name), false, name)
  for (let nth = 0; nth < 2000; nth++)
    t.equal(holdsCardNumber(`run-${1_767_225_600_000 + nth * 977}-${nth}`), false)
})

t.test('A25: names of secrets, however they are written', async t => {
  const secret = `number csc token account_number accountNumber ACCOUNT-NUMBER routing_number cvc CVV2 pan apiKey password Authorization card_token cardExpiry
    card_number cardNumber cardnumber card[number] payment.card.exp_month card.numbr bank_account.iban Card.brand.x a.card.x card.x.last4 creditCard[x] routing
    bank_account_routing_number bankAccountNumber bank_account_iban payload[x][y] accessToken _number_ match.key`
  const open = `last4 amount display_name adjustment_number metadata numbers note toString __proto__ card card_brand card[last_4] card.brand bank_account.bank_name
    customer.name bankAccount[bank_name] discard_reason gift_card_balance company phone_number account page_token description experience key rematch.key match.any.key match.any.0.body.key`

  for (const name of ['Card Number', ...secret.split(/\s+/)])
    t.strictSame([isSecretName(name), openNames().has(name)], [true, false], name)
  for (const name of ['', ...open.split(/\s+/)]) t.equal(isSecretName(name), false, name)
  t.equal(openNames().has('last4'), true)
})

t.test('A25: of a form with card data only public parts remain', async t => {
  const words = new SecretWords(['sk_test'])
  // biome-ignore format: a table
  const cases: [form: string, shown: unknown][] = [
    [
      'card[number]=42&card[numbr]=42&card[last4]=4242&card[expiry]=12/29',
      { card: { number: MASK, numbr: MASK, last4: '4242', expiry: MASK } }
    ],
    ['card[brand]=4242424242424242&card[csc]=', { card: { brand: '****************', csc: '' } }],
    ['card[numbers][]=1&card[numbers][]=&card[last4][]=4', { card: { numbers: [MASK, ''], last4: [MASK] } }],
    ['card[a][b][c]=1&card[a][brand]=2&card[brand][x]=3', { card: { a: MASK, brand: { x: MASK } } }],
    ['card[]=1&card[]=', { card: [MASK, ''] }], ['card=42&bank_account=7', { card: MASK, bank_account: MASK }], ['card=', { card: '' }],
    ['bankAccount=7&credit_card=a&payment-card=b&Card=c&gift_cards=d', { bankAccount: MASK, credit_card: MASK, 'payment-card': MASK, Card: MASK, gift_cards: 'd' }],
    ['metadata[card]=visa&metadata[x]=1', { metadata: { card: 'visa', x: '1' } }],
    ['metadata[card][x]=1', { metadata: { card: { x: MASK } } }],
    ['card_token=1&cardNumber=2&routing=3&card_brand=visa', { card_token: MASK, cardNumber: MASK, routing: MASK, card_brand: 'visa' }],
    ['bank_account_routing_number=4&card[brand]=visa', { bank_account_routing_number: MASK, card: { brand: 'visa' } }],
    ['csc%3D123=1&csc[456]=x&csc789=y', { [`csc=${MASK}`]: MASK, csc: MASK, [`csc${MASK}`]: 'y' }],
    [
      'Card[x]=1&bankAccount[iban]=2&bank_account[bank_name]=B',
      { Card: { x: MASK }, bankAccount: { iban: MASK }, bank_account: { bank_name: 'B' } }
    ],
    ['card[4242424242424242]=1&card[sk_test]=2', { card: { '****************': MASK, [MASK]: MASK } }],
    ['card[{"a":1}]=', { card: { [MASK]: '' } }], ['payload[x]=1&note=a+sk_test', { payload: MASK, note: `a ${MASK}` }],
    ['amount=5&created[gte]=2026-03-01', { amount: '5', created: { gte: '2026-03-01' } }], ['', {}]
  ]
  for (const [form, shown] of cases) {
    const { root } = decodeForm(form, { 'limits.parameters': 100, 'limits.depth': 8 })
    redactForm(root, words)
    t.strictSame(JSON.parse(JSON.stringify(parametersIn(root))), shown, form)
  }
})

t.test('A25: JSON that was sent as a form shows no secret either', async t => {
  const keys = new SecretWords(['sk_test', 'k$(1)'])
  const cases: [text: string, shown: string][] = [
    ['{"csc":"123","amount":5}', `{"csc":"${MASK}","amount":5}`],
    ['{"csc" : 123, "number": "4242"}', `{"csc" : ${MASK}, "number": "${MASK}"}`],
    ['{"token":"a\\"b","x":"y"}', `{"token":"${MASK}","x":"y"}`],
    ['{"cvc":"12', `{"cvc":"${MASK}`],
    ['{"note":"sk_test"}', `{"note":"${MASK}"}`],
    ['"4242424242424242"', '"****************"'],
    ['{"card":{"a":{"b":1},"numbr":"42"},"amount":5} is odd', `{"card":${MASK} is odd`],
    ['{"bankAccount": [{"iban":"x', `{"bankAccount": ${MASK}`],
    ['{"card":"visa"}', '{"card":"visa"}'],
    [
      'a=1&card[token]=tok_1&card[csc]=123&amount=5',
      `a=1&card[token]=${MASK}&card[csc]=${MASK}&amount=5`
    ],
    ['a="csc=123" payload=', `a="csc=${MASK}" payload=`],
    ['card[csc]123 csc 123 CVV2:1234', `card[csc]${MASK} csc ${MASK} CVV2:${MASK}`],
    ['csc: 3 or 4 digits', 'csc: 3 or 4 digits'],
    ['csc 12345', 'csc 12345'],
    ['docsc123', 'docsc123'],
    ['x=1 "a":"b" amount=5', 'x=1 "a":"b" amount=5'],
    ['k$(1)', MASK],
    ['a longer text with sk_test', `a longer text with ${MASK}`]
  ]
  for (const [text, shown] of cases) t.equal(withoutSecrets(text, keys), shown, text)
  t.strictSame(
    [withoutSecrets('sk_test', keys), withoutSecrets('sk_test', new SecretWords([]))],
    [MASK, 'sk_test']
  )
})

t.test('A25: data is masked by name, below card data and by words', async t => {
  const digest = `sha256:${'1234567890123452'.repeat(4)}`
  const masked = (value: unknown) => maskedThroughout(value, new SecretWords(['sk_test']))
  const card = { brand: 'visa', last4: '4242', x: null, y: '' }
  // biome-ignore format: a table
  const cases: [shown: unknown, value: unknown][] = [
    [{ card: { ...card, number: MASK, expiry: MASK, z: MASK } }, { card: { ...card, number: '42', expiry: 5, z: { a: 1 } } }],
    [{ card: { brand: { a: MASK }, number: digest } }, { card: { brand: { a: 1 }, number: digest } }],
    [{ card: [MASK, MASK, null] }, { card: ['1', { number: 2 }, null] }],
    [{ 'card[number]': [digest, MASK] }, { 'card[number]': [digest, '42'] }], [{ 'card[expiry]': MASK }, { 'card[expiry]': '1' }],
    [{ token: MASK }, { token: { a: 1 } }], [{ '****************': 1 }, { '4242424242424242': 1 }],
    [{ in: [1, MASK, `the ${MASK}`, true, undefined] }, { in: [1, 'sk_test', 'the sk_test', true, undefined] }],
    [{ amount: '*'.repeat(16) }, { amount: 4_242_424_242_424_242 }],
    [{ list: ['****-****-****-****', 5, null] }, { list: ['4242-4242-4242-4242', 5, null] }],
    [`x${withoutCardNumbers(digest)}`, `x${digest}`]
  ]
  for (const [shown, value] of cases) t.strictSame(masked(value), shown)
  for (const value of [
    { card: null, bank_account: 'B' },
    { csc: null, 'card[last4]': '4242' },
    digest
  ])
    t.strictSame(masked(value), value)
})

t.test('A25: no text shows a planted card number, in any form', async t => {
  let drawn = 0
  const random = () => drawnFraction(25, 'texts', drawn++)
  const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1))
  const pick = <T>(from: readonly T[]): T => from[between(0, from.length - 1)] as T
  // biome-ignore format: a table
  const separators = ['', ' ', '-', '.', '/', '_', ',', '+', ':', '|', '\t', '\u00a0', '\u2013', '\uff0e', ', ', ' | ']
  const invisible = ['', '', '\u200b', '\u200c', '\u200d', '\ufeff', '\u2060', '\u200b\ufeff']
  const scripts = [0x30, 0x30, 0x30, 0xff10, 0x660, 0x1d7ce]
  const letters = [...'abcxyz \n=&%"{}[]:|.,-\u00e9\u6f22']
  for (let nth = 0; nth < 3000; nth++) {
    const number = luhn(
      pick(['42424242', '55555555', '40000000', '62000000']) + String(between(1_000_000, 9_999_999))
    )
    const [separator, zero, hidden] = [pick(separators), pick(scripts), pick(invisible)]
    const groups = (random() < 0.8 ? /\d{4}/g : /\d/g)[Symbol.match](number) as string[]
    const written = groups
      .join(`${hidden}${separator}`)
      .replace(/\d/g, digit => String.fromCodePoint(zero + Number(digit)))
    const around = () => Array.from({ length: between(0, 12) }, () => pick(letters)).join('')
    const text = `${around()}x${written}x${around()}`
    const wire = random() < 0.2 ? encodeURIComponent(text) : text
    for (const shown of [
      withoutSecrets(wire),
      JSON.stringify(maskedThroughout({ [wire]: [wire] })),
      withoutSecrets(JSON.stringify({ a: text }))
    ]) {
      if (shown.includes(written) || shown.includes(encodeURIComponent(written)))
        t.fail(JSON.stringify({ wire, shown }))
    }
    const form = new FormObject([[wire, new FormObject([[wire, wire]])]])
    redactForm(form, new SecretWords(['sk_test']))
    if (JSON.stringify(parametersIn(form)).includes(written))
      t.fail(JSON.stringify({ wire, form: parametersIn(form) }))
  }
})

t.test('A25: what a response shows of a card does not hide the rest of its sentence', t => {
  const shown = '"card": {"last4": "4242", "brand": null} [of two]'
  t.equal(withoutSecrets(shown), shown)
  t.equal(withoutSecrets('"card": {"last4": "4242", "x": "1"} end'), `"card": ${MASK} end`)
  t.end()
})
