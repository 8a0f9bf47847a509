/** What validation says about testers' mistakes; a document that follows the advice loads. */
import t, { type Test } from 'tap'
import type { Problem } from '../../src/core/errors.js'
import { lookedAt } from '../support/first-state.js'

const BEGIN = 'fixtures: [bistro]\n'
const entry = (entry: string) => `${BEGIN}script:\n  - { ${entry} }\n`
const matching = (match: string) =>
  entry(`on: POST /transactions, match: { ${match} }, respond: { status: 402 }`)
const expecting = (counted: string) =>
  `${BEGIN}expect:\n  - state: { refunds: { count: 1, ${counted} } }\n`
const generating = (more: string) => `${BEGIN}generate: [ { transactions: 1, ${more} } ]\n`
const PAYMENT =
  '{ as: payment, do: POST /transactions, body: { ticket: "${tkt_52}", payment_type: external, amount: 5 } }'
const step = (more: string) => `${BEGIN}steps:\n  - ${PAYMENT}\n  - { ${more} }\n`
const script = (entry: string) => `script:\n  - on: POST /refunds\n${entry}`

/**
 * An invalid text, after the bistro's fixture unless it names one, its message, and the correction.
 */
type Mistake = [wrong: string, said: string, from: string, to: string]

/** The place of a problem: line, column and path, and its code if the sentence is of this room. */
const marksOf = (found: readonly Problem[], isCoded = false) =>
  found
    .map(({ line, column, path, code }) =>
      [`${line}:${column}`, path, isCoded && code].filter(Boolean).join(' ')
    )
    .join(', ')

/** Whether each mistake is found in its place, and its correction loads. */
async function judge(t: Test, mistakes: readonly Mistake[], isCoded: boolean): Promise<void> {
  for (const [text, said, from, to] of mistakes) {
    const wrong = [text, from, to].some(part => part.includes('fixtures')) ? text : BEGIN + text
    const { problems } = await lookedAt(wrong)
    t.equal(marksOf(problems, isCoded), said, `${text}: ${problems[0]?.message}`)
    const followed = await lookedAt(wrong.replace(from, () => to))
    t.strictSame(followed.problems, [], `${text}, with the advice followed`)
  }
}

t.test('advice: a YAML mistake is explained in its place; its correction loads', async t => {
  // biome-ignore format: a table
  const mistakes: Mistake[] = [
    ['name: x: y\n', '2:7 holds_colon', 'x: y', '"x: y"'], ['"name": x: y\n', '2:9 holds_colon', 'x: y', '"x: y"'],
    ['name: a "b": c # d\n', '2:7 holds_colon', 'a "b": c', '\'a "b": c\''],
    [
      'name: x: y\nfixtures: [bistro]\ndescription: pay: then refund\n', '1:7 holds_colon, 3:14 holds_colon',
      'x: y\nfixtures: [bistro]\ndescription: pay: then refund', '"x: y"\nfixtures: [bistro]\ndescription: "pay: then refund"'
    ],
    [entry('on: POST /refunds, match: { body: { reason: cold: soup } }, delay: 2s'), '3:51 comma_missing', 'cold: soup', '"cold: soup"'],
    ['fixtures: [ - bistro, - bistro ]\n', '1:13 dash_in_brackets', ' - bistro, - bistro ', 'bistro'],
    [script('  calls: 1\n  delay: 2s\n'), '4:3 wrong_indent, 5:3 wrong_indent', 'calls: 1\n', '  calls: 1\n  '],
    [entry('on: POST /refunds, match: { body: { reason: - cold } }, delay: 2s'), '3:51 dash_in_brackets', '- cold', '[cold]'],
    [entry('on: POST /refunds delay: 2s'), '3:11 comma_missing', ' d', ', d'], ['vars: { a: 1 b: 2 }\n', '2:12 comma_missing', ' b', ', b'],
    ['name:x\n', '2:5 space_missing', 'x\n', ' x\n'],
    ['script:\n  -on: POST /refunds\n   delay: 2s\n', '3:3 space_missing', 'on: POST /refunds\n', ' on: POST /refunds\n '],
    [
      'seed:7\nscript:\n  - on:POST /refunds\n    delay: 2s\n', '2:5 space_missing, 4:7 space_missing', '7\nscript:\n  - on:',
      ' 7\nscript:\n  - on: '
    ],
    ['fixtures:[bistro]\n', '1:9 space_missing', '[', ' ['],
    [
      'script:\n  - {on:POST /refunds, delay:2s}\nplay: [ { do: POST /refunds, body: {transaction:txn_119, amount: 5} } ]\n',
      '3:8 space_missing, 3:29 space_missing, 4:48 space_missing',
      'POST /refunds, delay:2s}\nplay: [ { do: POST /refunds, body: {transaction:',
      ' POST /refunds, delay: 2s}\nplay: [ { do: POST /refunds, body: {transaction: '
    ],
    ['script\n  - { on: POST /refunds, delay: 2s }\n', '2:1 name_expected', '\n ', ':\n '],
    ['name\n', '2:1 name_expected', 'e\n', 'e: value\n'], ['script:\n\t- { on: POST /refunds, delay: 2s }\n', '3:1 tab', '\t', '  '],
    ['data:\n\ttickets:\n  \t- { id: a, location: loc_bistro, reference: A }\n', '3:1 tab', '\ttickets:\n  \t', '  tickets:\n    '],
    ['name: a\nfixtures: [bistro]\nname: b\n', '3:1 name_twice', 'name: b\n', ''],
    [script('    calls: 1\n   delay: 2s\n'), '5:4 wrong_indent', 'de', ' de'],
    ['script:\n- on: POST /refunds\n # slow\n delay: 2s\n', '5:2 wrong_indent', '# slow\n', ''],
    [script('    delay: 2s\n   - on: GET /refunds\n     delay: 2s\n'), '5:4 wrong_indent', ' - on: GET /refunds\n ', '- on: GET /refunds\n'],
    [
      'expect:\n  - on: POST /refunds\n    times: 0\n  on: GET /refunds\n  times: 0\n', '5:3 wrong_indent, 6:3 wrong_indent', 'on: GET /refunds\n',
      '- on: GET /refunds\n  '
    ],
    [script('    respond:\n      status: 402\n     calls: 1\n'), '6:6 wrong_indent', ' c', 'c'],
    [script('    match:\n      body:\n        amount:\n          gt: 100\n     calls: 1\n    delay: 2s\n'), '8:6 wrong_indent', ' c', 'c'],
    ['fixtures:\n  - bistro\n name: x\n', '3:2 wrong_indent', '\n  - bistro\n ', ' [bistro]\n'],
    [step('do: GET /tickets, query: { created[gte]: 2026-01-01, limit: 2 }'), '4:41 comma_missing', 'created[gte]', '"created[gte]"'],
    [script('    calls: 1\n  \t delay: 2s\n'), '5:1 tab', '\t', ' '],
    [script('    delay: 2s\n      calls: 1\n'), '5:7 wrong_indent', '  c', 'c'],
    ['name: "x\nseed: 5\n', '2:7 quote_not_closed', '\ns', '"\ns'],
    ['name: "x\ndescription: "y\n', '2:7 quote_not_closed', '\ndescription: "y', '"\ndescription: "y"'],
    ["name: 'it's mine'\n", '2:11 goes_on', "'it's mine'", '"it\'s mine"'], ['name: [a] b\n', '2:11 goes_on', '[a] b', '"[a] b"'],
    ['fixtures: [bistro\nname: x\n', '1:11 not_closed', '\n', ']\n'], ['fixtures: [bistro]{\nname: x\n', '1:19 goes_on', '{', ''],
    ["it's: [b'\nname: x\n", '1:7 not_closed', "it's: [b'", 'fixtures: [bistro]'],
    ['  fixtures: [bistro]\nname: x\n', '2:1 refused', 'n', '  n'],
    [script('    hold:\n\n   delay: 2s\n'), '6:4 wrong_indent', '\n\n', ' { gate: a }\n\n '],
    [
      'script:\n  - { on: POST /refunds, delay: 2s\n  - { on: GET /refunds, delay: 2s }\n', '3:5 not_closed', '\n  - { on: G',
      ' }\n  - { on: G'
    ],
    ['name: { on: a: b\n', '2:7 not_closed, 2:13 comma_missing', '{ on: a: b', '"on: a: b"'],
    ['fixtures: [bistro]]\nname: x\n', '1:19 nothing_to_close', ']\n', '\n'],
    [
      step('do: GET /refunds/${payment.id}, expect: { status: 200 }'), '4:25 goes_on', 'GET /refunds/${payment.id}',
      '"GET /refunds/${payment.id}"'
    ],
    [entry('on: *, delay: 2s'), '3:11 begins_with', '*', '"*"'], ['name: *x\n', '2:7 unknown_alias', '*x', '"*x"'],
    ['name: &x\n', '2:9 anchor_of_nothing', '&x', '"&x"'], ['name: !x y\n', '2:7 tag', '!x y', '"!x y"'],
    ['name: *x y\n', '2:10 goes_on', '*x y', '"*x y"'], ['name: @x\n', '2:7 begins_with', '@x', '"@x"'],
    ['name: > x\n', '2:9 text_in_next_line', '> x', '"> x"'], ['name: "a\\q"\n', '2:9 unknown_escape', 'q', '\\q'],
    ['---\nname: x\n', '2:1 second_document', '---\n', ''], ['{"fixtures": ["bistro"]\n "name": "x"}', '2:2 comma_missing', '\n', ',\n'],
    ['{"fixtures": ["bistro"] "name": "x"}', '1:25 comma_missing', ' "', ', "'],
    ['{"name":"x" "fixtures":["bistro"]}', '1:9 comma_missing', ' "f', ', "f'],
    ['{"fixtures": ["bistro"]} x', '1:26 goes_on', ' x', ''], ['{"fixtures": ["bistro"]', '1:1 not_closed', ']', ']}']
  ]
  await judge(t, mistakes, true)
})

t.test('advice: other errors have a general sentence', async t => {
  const cases: [text: string, marks: string][] = [
    ['"x"\n  y: 1\n', '2:3 refused'],
    ['fixtures: [bistro]#c\n', '1:19 refused'],
    ['a: [1,\n  2] b\n', '2:6 goes_on'],
    ['a b\nc: d\n', '1:1 name_expected'],
    ['a: [1, [2]\nb: 1\n', '1:4 not_closed'],
    ['a: [1, [2]', '1:4 not_closed'],
    ['a: &x *b\n', '1:7 refused']
  ]
  for (const [text, marks] of cases)
    t.equal(marksOf((await lookedAt(text)).problems, true), marks, text)
})

t.test('advice: a number that loses characters is refused where text belongs', async t => {
  const record = (field: string) =>
    `data: { tickets: [ { id: tkt_z, location: loc_bistro, ${field} } ] }\n`
  const play = (body: string) => `${BEGIN}play: [ { do: POST /refunds, body: { ${body} } } ]\n`
  const places: [title: string, text: (value: string) => string][] = [
    ['a fixture', value => record(`reference: ${value}`)],
    ['what a play sends', value => play(`reason: ${value}`)],
    ['metadata with the name of an amount', value => play(`metadata: { amount: ${value} }`)],
    ['a match', value => matching(`body: { metadata: { a: [ ${value} ] } }`)],
    ['a header', value => entry(`on: GET *, respond: { status: 500, headers: { X-A: ${value} } }`)],
    ['a setting', value => `${BEGIN}settings: { auth: { accept_any_key: ${value} } }\n`],
    ['a variable', value => `${BEGIN}vars: { a: ${value} }\n`],
    ['an alias', value => `vars: { a: &a ${value} }\n${record('reference: *a')}`],
    [
      'a merge',
      value =>
        `vars: { a: &a ${value} }\n${BEGIN}settings: { auth: { <<: [{ x: 1 }, { accept_any_key: *a }] } }`
    ],
    ['JSON', value => `{"data":{"tickets":[{"reference":"T"},{"reference":${value}}]}}`]
  ]
  const lossy = '0042 +16175550109 1.10 6304990000000000123 -0 1e3 0o17 0x1F .5'.split(' ')
  for (const [title, text] of places)
    for (const value of title === 'what a play sends' ? lossy : lossy.slice(2, 4)) {
      const found = (await lookedAt(text(value))).problems.filter(
        ({ code }) => code === 'number_as_text'
      )
      t.equal(found.length, 1, `${title}: ${value}`)
      const isCard = value.length === 19
      t.ok(
        found[0]?.message.endsWith(isCard ? 'quote it' : `quote it: "${value}"`),
        String(found[0]?.message)
      )
    }
  for (const text of [
    ...places.map(([, text]) => text('"0042"')),
    play('amount: 1e3, transaction: txn_1'),
    matching('body: { amount: { gte: 0500 } }'),
    matching('body: { card[exp_month]: 05 }'),
    entry('on: GET *, chance: 0.10, respond: { status: 500 }'),
    `${BEGIN}settings: { pagination: { default_limit: 1e1 } }\n`,
    entry('on: GET *, calls: 1e1, respond: { status: 500 }'),
    entry('on: GET *, delay: 2.50'),
    `${BEGIN}clock: 1.7e12\n`,
    play('reason: 1_000'),
    play('reason: 42')
  ]) {
    const { problems } = await lookedAt(text)
    t.notOk(
      problems.some(({ code }) => code === 'number_as_text'),
      text
    )
  }
})

t.test('advice: a message says what to write', async t => {
  // biome-ignore format: a table
  const cases: [text: string, says: string][] = [
    ['a: 1\n0042: b\n', '"0042"'],
    [
      'data:\n  transactions:\n    - { ticket: tkt_52, payment_type: card, amount: 1, payment_method: { card: { brand: visa, last4: 0042 } } }\n',
      'quote it: "0042"'
    ],
    [entry('on: GET *, respond: { status: 402, code: x }'), 'put it under error'],
    [entry('on: GET *, change: { refunds: [] }'), 'put it under data'],
    [generating('created: 2025'), 'write { from: 2025-01-01, to: 2025-12-31 }'],
    [generating('amount: 500'), 'write { min: 450, max: 18000 }'],
    [generating('location: [loc_bistro]'), 'write several with their weights'],
    [generating('location: { loc_bisto: 1 }'), 'did you mean loc_bistro?'],
    [`${BEGIN}expect: [ { on: POST /refunds, match: { body: { amount: "<=5" } } } ]\n`, 'write { lte: 5 }'],
    [expecting('where: { created: ">2026-03-01" }'), 'write { gt: 2026-03-01 }'],
    ...['amount: ">many"', 'payment_type: ">5"', 'payment_type: ">2026-03-01"'].map((body): [string, string] => [matching(`body: { ${body} }`), '!write {']),
    ...['card: { last4: 12345 }', 'card: { last4: "341" }', 'card: { last4: 1.25 }', 'payment_type: 5'].map(
      (body): [string, string] => [matching(`body: { ${body} }`), '!quote it']
    ),
    [expecting('where: { transaction: { payment_method: { card: { last4: 341 } } } }'), '!"0341"']
  ]
  for (const [text, says] of cases) {
    const { problems, warnings } = await lookedAt(text)
    const { message } = [...problems, ...warnings][0] as Problem
    t.equal(message.includes(says.replace('!', '')), !says.startsWith('!'), message)
  }
})

t.test('advice: a value of the wrong type is refused with a correction that loads', async t => {
  // biome-ignore format: a table
  const mistakes: Mistake[] = [
    [
      'data:\n  transactions:\n    - { id: txn_a, ticket: tkt_52, payment_type: card, amount: 100, payment_method: { card: { brand: visa, last4: 0042 } } }\n',
      '4:115 data.transactions[0].payment_method.card.last4', '0042', '"0042"'
    ],
    [matching('body: { card: { last4: 0042 } }'), '3:63 script[0].match.body.card.last4', '0042', '"0042"'],
    [entry('on: POST /refunds, delay: "2"'), '3:33 script[0].delay', '"2"', '2ms'],
    ['data:\n  tickets:\n    - { id: tkt x, location: loc_bistro, reference: T }\n', '4:13 data.tickets[0].id', ' x', '_x'],
    ['fixtures: bistro\n', '1:11 fixtures', 'bistro', '[bistro]'], ['tickets: []\n', '2:1 tickets', 'tickets: []', 'data: { tickets: [] }'],
    [step('do: GET /refunds, status: 200'), '4:25 steps[1].status', 'status: 200', 'expect: { status: 200 }'],
    [matching('body: { payment_type: visa }'), '3:62 script[0].match.body.payment_type', 'sa ', 'p '],
    [
      `steps:\n  - ${PAYMENT}\n  - { do: GET /refunds, key: sk_test_merchnt }\nplay:\n  - { at_once: [ { do: GET /refunds, key: sk_test_resller } ] }\n`,
      '4:30 steps[1].key, 6:43 play[0].at_once[0].key', 'nt }\nplay:\n  - { at_once: [ { do: GET /refunds, key: sk_test_res',
      'ant }\nplay:\n  - { at_once: [ { do: GET /refunds, key: sk_test_rese'
    ],
    [step('do: GET /refunds, key: of_another_service'), '4:30 steps[1].key', 'e }\n', 'e, expect: { status: 401 } }\n'],
    [
      'data:\n  locations:\n    - { account: mch_bistro, display_name: L, address: { country: UK } }\n',
      '4:67 data.locations[0].address.country', 'UK', 'GB'
    ],
    [matching('body: { amount: ">5000" }'), '3:56 script[0].match.body.amount', '">5000"', '{ gt: 5000 }'],
    [matching('body: { amount: ">= 5000" }'), '3:56 script[0].match.body.amount', '">= 5000"', '{ gte: 5000 }'],
    [matching('body: { amount: " < -1.5 " }'), '3:56 script[0].match.body.amount', '" < -1.5 "', '{ lt: -1.5 }'],
    [matching('body: { amount: "<=0" }'), '3:56 script[0].match.body.amount', '"<=0"', '{ lte: 0 }'],
    [
      matching('body: { amount: ">many", tip_amount: [">5", 5] }'),
      '3:56 script[0].match.body.amount, 3:77 script[0].match.body.tip_amount', '">many", tip_amount: [">5", ', '5, tip_amount: ['
    ],
    [
      entry('on: GET /tickets, match: { query: { created: { gte: ">=2026-03-01" } } }, delay: 1s'),
      '3:59 script[0].match.query.created.gte', '">=2026-03-01"', '{ gte: 2026-03-01 }'
    ],
    [matching('body: { card: { brand: { gt: a } } }'), '3:69 script[0].match.body.card.brand.gt', '{ gt: a }', '[a, b]'],
    [matching('body: { ticket: [tkt_52, tkt_5x2] }'), '3:65 script[0].match.body.ticket[1]', ', tkt_5x2', ''],
    [
      matching('about: { ticket: the_other_table_in_the_corner }'), '3:57 script[0].match.about.ticket', 'the_other_table_in_the_corner',
      '/table/'
    ],
    [matching('body: { constructor: tkt_52 }'), '3:48 script[0].match.body.constructor', 'constructor', 'ticket'],
    [step('do: "GET /transactions/${pay.idd}"'), '4:11 steps[1].do', '.id', 'ment.i'],
    [step('do: "GET /tickets/${tkt_5x2}"'), '4:11 steps[1].do', 'x2', '2'],
    [step('do: "GET /transactions/${payment.id"'), '4:11 steps[1].do', '" ', '}" '],
    [matching('about: { ticket: "${payment.ticket}" }'), '3:57 script[0].match.about.ticket', '"${payment.ticket}"', 'tkt_52'],
    [expecting('where: { transaction: "${payment.id" }'), '3:57 expect[0].state.refunds.where.transaction', '"${payment.id"', 'txn_1'],
    [expecting('where: { transaction: "${payment.id}" }'), '3:57 expect[0].state.refunds.where.transaction', '"${payment.id}"', 'txn_1']
  ]
  await judge(t, mistakes, false)
})

t.test('advice: what a call could still make', async t => {
  // biome-ignore format: a table
  const cases: [text: string, marks: string][] = [
    [entry('on: POST /refunds, match: { body: { transaction: txn_nowhere_at_all } }, delay: 1s'), '3:56 script[0].match.body.transaction'],
    [entry('on: GET /tickets, match: { query: { location: loc_bistr } }, delay: 1s'), '3:53 script[0].match.query.location'],
    [entry('on: POST /refunds, match: { about: { account: mch_bistr } }, delay: 1s'), '3:53 script[0].match.about.account'],
    [
      entry(
        'on: "DELETE /accounts/{account_id}/users/{user_id}", match: { params: { account_id: mch_bistro, user_id: usr_nobody } }, delay: 1s'
      ),
      '3:112 script[0].match.params.user_id'
    ],
    [
      entry('on: ["GET /refunds/{id}", "GET /accounts/{id}/users"], match: { params: { id: nothing_here } }, delay: 1s'),
      '3:85 script[0].match.params.id'
    ],
    [
      `${BEGIN}expect:\n  - { on: POST /transactions, match: { body: { ticket: tkt_5x2 } }, times: 0 }\n  - sequence: [ { on: POST /refunds, match: { about: { ticket: tkt_5x2 } } } ]\n`,
      '3:56 expect[0].match.body.ticket, 4:64 expect[1].sequence[0].match.about.ticket'
    ],
    [entry('on: POST /refunds, match: { about: { ticket: [/none/, tkt_52], location: { not: loc_x } } }, delay: 1s'), '']
  ]
  for (const [text, marks] of cases) {
    const { problems, warnings } = await lookedAt(text)
    t.strictSame([problems, marksOf(warnings)], [[], marks], text)
  }
})

t.test('advice: all of five hundred problems are found', async t => {
  const many = (line: string) =>
    `${BEGIN}data: { tickets: [] }\nscript:\n${`${line}\n`.repeat(499)}`
  const texts = [
    many(
      '  - { on: POST /transactions, match: { body: { ticket: tkt_nope } }, respond: { status: 402 } }'
    ),
    many('  - { on: POST /transactions, delay: 2, match: { body: { amount: "${vars.n}" } } }'),
    many('  - { on: POST /transactions, name: x: y, delay: 2s }'),
    `${BEGIN}steps:\n${'  - { do: "GET /tickets/${tkt_5x2}" }\n'.repeat(499)}`,
    `${BEGIN}${Array.from({ length: 499 }, (_, nth) => `a${nth}: b: c\n`).join('')}`
  ]
  for (const text of texts) {
    const { problems } = await lookedAt(text)
    t.ok(problems.length >= 499, `${problems.length}: ${problems[0]?.message}`)
  }
})

t.test('advice: one mistake, one message, on its line; its correction loads', async t => {
  const acting = (more: string) => `script:\n  - on: POST /refunds\n    ${more}\n`
  const slow = (more: string) => acting(`delay: 2s\n    ${more}`)
  const expected = (more: string) => `expect:\n  - ${more}\n`
  const played = (more: string) => `play:\n  - ${more}\n`
  // biome-ignore format: a table
  const mistakes: Mistake[] = [
    ['scripts:\n  - { on: POST /refunds, delay: 2s }\n', '2:1 scripts unknown_name', 'scripts', 'script'],
    ['script:\n  on: POST /refunds\n  delay: 2s\n', '2:1 script wrong_type', 'on: POST /refunds\n ', '- on: POST /refunds\n   '],
    [acting('fault: hangs'), '4:12 script[0].fault not_one_of', 'hangs', 'hang'],
    [acting('faults: hang'), '4:5 script[0].faults unknown_name', 'faults', 'fault'],
    [acting('respnd: { status: 402 }'), '4:5 script[0].respnd unknown_name', 'respnd', 'respond'],
    [acting('respond: 402'), '4:14 script[0].respond wrong_type', '402', '{ status: 402 }'],
    [acting('respond: { stats: 402 }'), '4:16 script[0].respond.stats unknown_name', 'stats', 'status'],
    [acting('respond: { error: card_declined }'), '4:23 script[0].respond.error wrong_type', 'card_declined', '{ code: card_declined }'],
    [acting('respond: { error: { cod: card_declined } }'), '4:25 script[0].respond.error.cod unknown_name', 'cod:', 'code:'],
    [
      acting('error: card_declined'), '4:5 script[0].error unknown_name', 'error: card_declined',
      'respond: { error: { code: card_declined } }'
    ],
    [acting('status: 402'), '4:5 script[0].status unknown_name', 'status: 402', 'respond: { status: 402 }'],
    [
      acting('status: 402\n    respond: { error: { code: x } }'), '4:5 script[0].status unknown_name', 'status: 402\n    respond: {',
      'respond: { status: 402,'
    ],
    [acting('calls: 1'), '3:5 script[0] needs', 'calls: 1', 'delay: 2s'],
    ['script:\n  - one: POST /refunds\n    match: { body: { amount: 5 } }\n    delay: 2s\n', '3:5 script[0].one unknown_name', 'one', 'on'],
    [
      'script:\n  - on: POST /refund\n    match: { body: { amount: 5 } }\n    delay: 2s\n', '3:9 script[0].on unknown_word', 'refund',
      'refunds'
    ],
    [acting('delay: 2'), '4:12 script[0].delay wrong_format', 'delay: 2', 'delay: 2s'],
    [acting('delay: 2 s'), '4:12 script[0].delay wrong_format', '2 s', '2s'],
    [acting('delay: { min: 1s, to: 2s }'), '4:23 script[0].delay.to unknown_name', 'to', 'max'],
    [acting('hold: 2'), '4:11 script[0].hold wrong_type', '2', '{ until: 2 }'],
    [acting('hold: { gates: a }'), '4:13 script[0].hold.gates unknown_name', 'gates', 'gate'],
    [slow('about: tkt_52'), '5:5 script[0].about unknown_name', 'about: tkt_52', 'match: { about: { ticket: tkt_52 } }'],
    [slow('match: { about: tkt_52 }'), '5:21 script[0].match.about wrong_type', 'tkt_52', '{ ticket: tkt_52 }'],
    [slow('match: { ticket: tkt_52 }'), '5:14 script[0].match.ticket unknown_name', 'ticket: tkt_52', 'about: { ticket: tkt_52 }'],
    [slow('match: { amount: 5 }'), '5:14 script[0].match.amount unknown_name', 'amount: 5', 'body: { amount: 5 }'],
    [slow('match:\n      body:\n        amout: 5'), '7:9 script[0].match.body.amout unknown_field', 'amout', 'amount'],
    [
      slow('match:\n      query:\n        limit: 5'), '6:7 script[0].match.query no_section', 'query:\n        limit: 5',
      'body:\n        amount: 5'
    ],
    [slow('calls: "first"'), '5:12 script[0].calls not_counts', '"first"', '1'],
    [slow('per: ticket\n    calls: [3]'), '6:12 script[0].calls wrong_type', '[3]', '3'],
    [slow('per: ticket\n    call: 3'), '6:5 script[0].call unknown_name', 'call', 'calls'],
    [expected('{ on: POST /refunds, per: ticket, time: 0 }'), '3:39 expect[0].time unknown_name', 'time', 'times'],
    [expected('{ sequence: [POST /refunds] }'), '3:18 expect[0].sequence[0] wrong_type', 'POST /refunds', '{ on: POST /refunds }'],
    [played('GET /tickets'), '3:5 play[0] wrong_type', 'GET /tickets', '{ do: GET /tickets }'],
    [played('{ at_once: [GET /tickets] }'), '3:17 play[0].at_once[0] wrong_type', 'GET /tickets', '{ do: GET /tickets }'],
    [played('{ do: GET /tickets, expect: 404 }'), '3:33 play[0].expect wrong_type', '404', '{ status: 404 }'],
    [slow('times: 1'), '5:5 script[0].times unknown_name', 'times', 'calls'],
    [
      slow('between: [2026-01-01, 2026-02-01]'), '5:5 script[0].between unknown_name', 'between: [2026-01-01, 2026-02-01]',
      'from: 2026-01-01\n    until: 2026-02-01'
    ],
    [expected('{ sum: { amount: 5 } }'), '3:7 expect[0].sum unknown_name', 'sum: { amount: 5 }', 'state: { refunds: { count: 1 } }'],
    [expected('{ on: POST /refunds, count: 1 }'), '3:26 expect[0].count unknown_name', 'count', 'times'],
    [expected('refunds: { count: 1 }'), '3:5 expect[0].refunds unknown_name', 'refunds: { count: 1 }', 'state: { refunds: { count: 1 } }'],
    [expected('state: { refunds: 1 }'), '3:23 expect[0].state.refunds wrong_type', '1', '{ count: 1 }'],
    [expected('state:\n      refund:\n        count: 1'), '4:7 expect[0].state.refund unknown_name', 'refund', 'refunds'],
    [
      expected('state:\n      tickets:\n        tkt_9x9:\n          reference: a'), '5:9 expect[0].state.tickets.tkt_9x9 missing_record',
      'tkt_9x9', 'tkt_9'
    ],
    ['expect:\n  state: { refunds: { count: 1 } }\n', '2:1 expect wrong_type', 'state', '- state'],
    [played('{ do: POST /refunds, status: 200 }'), '3:26 play[0].status unknown_name', 'status: 200', 'expect: { status: 200 }'],
    [played('{ do: POST /refunds, expects: { status: 200 } }'), '3:26 play[0].expects unknown_name', 'expects', 'expect'],
    [played('on: GET /tickets'), '3:5 play[0].on unknown_name', 'on', 'do'],
    ['stpes:\n  - { as: p, do: GET /tickets }\nplay:\n  - { do: "GET /tickets/${p.data}" }\n', '2:1 stpes unknown_name', 'stpes', 'steps'],
    [
      'generate:\n  - { tickets: 5, location: { loc_none: 1 } }\n', '3:31 generate[0].location.loc_none missing_record', 'loc_none',
      'loc_bistro'
    ],
    ['clock: { nw: 2026-03-02 }\n', '2:10 clock.nw unknown_name', 'nw', 'now']
  ]
  await judge(t, mistakes, true)
  // in JSON a name has a place, too
  const json = '{"fixtures": ["bistro"],\n "script": [\n{"on": "POST /refunds", "respnd": {}}]}'
  t.equal(marksOf((await lookedAt(json)).problems), '3:25 script[0].respnd')
})
