import t from 'tap'
import { FORMATS } from '../../src/core/formats.js'
import { instantProblem } from '../../src/core/instants.js'

/** A domain of this many octets. */
const domain = (length: number) =>
  `${'b'.repeat(63)}.${'b'.repeat(63)}.${'b'.repeat(length - 128 > 63 ? 63 : length - 128)}${length - 128 > 64 ? `.${'b'.repeat(length - 192)}` : ''}`

/** Texts without white space, of one line. */
const words = (text: string) => text.split(' ')

t.test('USR-3 A30: an email address as RFC 5321 has it', async t => {
  const accepted = [
    ...words(
      "ana@bistro.example a.b+c@d.co o'neil@example.com A@B.CO 1@2.co a@b-c.co a@b--c.co a@xn--mller-kva.example a@1.2.3.4 a_b@c.co -@b.co"
    ),
    ...words("!#$%&'*+-/=?^_`{|}~@example.com a@b.c a@b.c.d.e.f"),
    ...words('"ana"@b.co ""@b.co "a@b"@c.co "a..b."@c.co "a\\"b\\\\c"@d.co "(),:;<>[]"@b.co'),
    ...[
      '"a b"@c.co',
      `${'a'.repeat(64)}@b.co`,
      `a@${'b'.repeat(63)}.co`,
      `a@${domain(252)}`,
      `"${'a'.repeat(62)}"@b.co`
    ],
    ...words(
      'josé@example.com ana@müller.example ANA@MÜLLER.EXAMPLE 用户@例子.广告 θσερ@εχαμπλε.ψομ ana@straße.example संपर्क@डाटामेल.भारत иван@пример.рф'
    ),
    ...words(
      'ana@col·la.cat mu\u0308ller@mu\u0308ller.example "josé"@b.co 😀@example.com דוגמה@דוגמה.קום'
    ),
    ...[`${'é'.repeat(32)}@b.co`, `a@${'ж'.repeat(40)}.example`]
  ]
  for (const value of accepted) t.equal(FORMATS.email.problem(value), null, value)
  t.strictSame(
    [FORMATS.email.stored, FORMATS.email.reliesOn],
    [undefined, undefined],
    'as it was sent'
  )
})

t.test('USR-3 A30: invalid email addresses', async t => {
  const malformed = [
    ...[
      '',
      ' ',
      'a b@c.co',
      ' a@b.co',
      'a@b.co ',
      'a@b.co\n',
      'Ana <a@b.co>',
      'a@b c.co',
      '"a\nb"@c.co',
      '"a\\\n"@c.co',
      '"\u007f"@c.co',
      'a\u0000@b.co'
    ],
    ...words(
      'ana @ ana@ @b.co a@b,co a@b@c.co mailto:a@b.co a@b.co,c@d.co a..b@c.co .a@b.co a.@b.co a@.b.co a@b..co a@b.co. a@. a@-b.co a@b-.co'
    ),
    ...words(
      'a@b_c.co a@b.c! a@b.co/x a(b)@c.co a;b@c.co "a@b.co a"@b.co "a"b"@c.co "a\\"@b.co "a"b@c.co a."b"@c.co ""'
    ),
    ...words(
      'a@😀.co a@b\u00a0c.co a@‑b.co a@\u0308b.co a@אa.co a@a\u200db.co a@xn--é.co a@é-.co a@-é.co a@½.co a@b。co'
    ),
    ...words(
      'ana@[] ana@[x] ana@[127.0.0.1 ana@127.0.0.1] ana@[127.0.0] ana@[127.0.0.1].co ana@[IPv6:] ana@[-:x]'
    ),
    'a b@[127.0.0.1]'
  ]
  const long = 'a'.repeat(65)
  const tooLong = [
    ...[
      `${long}@b.co`,
      `"${'a'.repeat(63)}"@b.co`,
      `${'é'.repeat(33)}@b.co`,
      `${long}@localhost`,
      `a@${'b'.repeat(64)}.co`,
      'a'.repeat(255)
    ],
    ...[
      `a@${domain(253)}`,
      `é@${domain(252)}`,
      `a@${'ü.'.repeat(80)}co`,
      `a@${'ж'.repeat(60)}.example`,
      `a@${'b.'.repeat(200)}co`
    ]
  ]
  // biome-ignore format: a table
  const refused: [values: string[], says: RegExp, assumption?: 'A30'][] = [
    [malformed, /^must be an email address, such as ana@example\.com$/], [tooLong, /example\.com$/],
    [['ana@[127.0.0.1]', 'ana@[IPv6:::1]', 'ana@[ipv6:2001:db8::1]', 'ana@[tag-1:x]', '"ana b"@[10.0.0.1]'], /domain name that has a dot/, 'A30'],
    [['ana@localhost', 'ana@b', 'ana@münchen', '"a b"@c'], /domain name that has a dot/, 'A30'],
    [['a\u00a0b@c.co', '\u3000@c.co', '"a\u1680"@c.co', 'a\u0085@c.co', 'a\ud800@c.co'], /printable/, 'A30']
  ]
  for (const [values, says, assumption] of refused) {
    for (const value of values) {
      const problem = FORMATS.email.problem(value)
      t.match(problem?.expected, says, JSON.stringify(value).slice(0, 60))
      t.equal(problem?.assumption, assumption)
    }
  }
})

t.test('USR-3: a hostile address is judged, whatever its length', async t => {
  for (const part of ['a', 'a.', 'a-', '@', '"', '\\"', 'é', 'ü.', '[', 'a@']) {
    const long = part.repeat(500_000)
    for (const text of [
      long,
      `a@${long}`,
      long.slice(0, 250),
      `a@${part.repeat(100)}`,
      `"${part.repeat(100)}@b.co`
    ])
      FORMATS.email.problem(text)
  }
  t.pass('all of them end')
})

t.test('ADDR-2 A30: a country is an ISO 3166-1 code in any case, stored in upper case', async t => {
  for (const value of ['US', 'SS', 'us', 'gB', 'De']) {
    const stored = value.toUpperCase()
    const { problem, stored: storedOf, reliesOn } = FORMATS.country
    t.strictSame(
      [problem(value), storedOf?.(value), reliesOn?.(value)],
      [null, stored, value === stored ? null : 'A30'],
      value
    )
  }
  for (const value of [
    '',
    'U',
    'USA',
    'XX',
    'UKR',
    'U1',
    'US ',
    ' US',
    'US\n',
    'ß',
    'ıt',
    'ſe',
    'ＵＳ',
    '__proto__'
  ])
    t.match(FORMATS.country.problem(value)?.expected, /such as US$/, JSON.stringify(value))
  for (const value of ['UK', 'uk']) t.match(FORMATS.country.problem(value)?.expected, /GB$/, value)
})

t.test('TXN-6 A22: a currency is an active code of ISO 4217 in lower case', async t => {
  const active = words('usd eur jpy gbp chf kwd clp zwg ved ves sle xcg xad uyu byn mru stn')
  const funds = words(
    'bov che chw clf cou mxv usn uyi uyw xdr xsu xua xau xag xpt xpd xba xbb xbc xbd xxx xts'
  )
  const withdrawn = words('ang cuc bgn hrk zwl sll vef mro std byr ltl dem uss')

  for (const value of [...active, ...funds]) t.equal(FORMATS.currency.problem(value), null, value)
  for (const value of [
    ...withdrawn,
    '',
    'us',
    'usdd',
    'zzz',
    '840',
    '$',
    'usd ',
    'usd\n',
    'toString',
    'btc',
    'ＵＳＤ'
  ])
    t.match(FORMATS.currency.problem(value)?.expected, /such as usd$/, JSON.stringify(value))
  for (const value of words('USD Usd usD XCG'))
    t.match(
      FORMATS.currency.problem(value)?.expected,
      new RegExp(`lower case; write ${value.toLowerCase()}$`),
      value
    )
  t.strictSame([FORMATS.currency.stored, FORMATS.currency.reliesOn], [undefined, undefined])
})

t.test("A22: the list is ISO 4217's of 2026, one by one", async t => {
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  const codes = [...letters]
    .flatMap(a => [...letters].flatMap(b => [...letters].map(c => a + b + c)))
    .filter(code => FORMATS.currency.problem(code) === null)

  t.equal(codes.length, 178)
})

t.test('FILT-1 A38: an instant', async t => {
  for (const value of [
    '2026-03-01T00:00:00Z',
    '2026-03-01T00:00:00.123+02:00',
    '2026-03-01',
    '2026-W10-1',
    '2026-03-01T00:00:00.0001Z'
  ])
    t.equal(FORMATS.instant.problem(value), null, value)
  for (const value of ['2026-03', 'now'])
    t.strictSame(FORMATS.instant.problem(value), instantProblem(value), value)
  t.equal(FORMATS.instant.problem('2026-03')?.assumption, 'A38')
  t.equal(FORMATS.instant.problem('now')?.assumption, undefined)
})

t.test('A25: last4 is four digits', async t => {
  for (const value of ['4242', '0000']) t.equal(FORMATS.last4.problem(value), null, value)
  for (const value of ['', '424', '42424', '424a', '4 42', '4242\n', '４２４２', '****', '-424'])
    t.match(FORMATS.last4.problem(value)?.expected, /^must be four digits/, JSON.stringify(value))
})

t.test('formats: those of the parameter tables and of documents', async t => {
  t.strictSame(
    Object.keys(FORMATS).sort(),
    'country currency default_currency duration email instant last4'.split(' ')
  )
})
