/** What validation says of a tester's mistakes, and that a document in which its advice was followed loads. */
import { join } from 'node:path'
import t from 'tap'
import { Clock } from '../../src/core/clock.js'
import type { ApiError, Problem } from '../../src/core/errors.js'
import { readDocument } from '../../src/scenario/documents.js'
import { Library } from '../../src/scenario/library.js'
import { firstStateOf } from '../../src/scenario/scenario.js'
import { cpuTime } from '../support/cpu.js'

const library = new Library({ fixtures: null, scenarios: null })

/** The problems and warnings of a text, as `LINE:COLUMN message`. */
async function looked(text: string): Promise<{ problems: string[]; warnings: string[] }> {
  const line = ({ line, column, path, message }: Problem) => `${line}:${column} ${path && `${path}: `}${message}`
  const warnings: string[] = []
  const warn = (found: readonly Problem[]) => void warnings.push(...found.map(line))
  try {
    const document = await readDocument('doc.yaml', text)
    await firstStateOf(
      document,
      { name: 'doc', file: null },
      { library, launch: { flag: {}, environment: {} }, clockFor: at => new Clock(() => 1_800_000_000_000, at), warn }
    )
    return { problems: [], warnings }
  } catch (error) {
    const { problems = [] } = error as ApiError
    return { problems: problems.map(line), warnings }
  }
}

const BEGIN = 'fixtures: [bistro]\n'
/** An entry in braces, and one in lines. */
const entry = (more: string, on = 'POST /refunds') => `${BEGIN}script:\n  - { on: ${on}, ${more} }\n`
const step = (more: string) =>
  `${BEGIN}steps:\n  - { as: payment, do: POST /transactions, body: { ticket: "\${tkt_52}", payment_type: external, amount: 5 } }\n  - { ${more} }\n`

t.test('advice: a YAML mistake is explained at its place, and what follows the advice loads', async t => {
  const cases: [title: string, wrong: string, problems: string[], followed: string][] = [
    ['a colon in a text', `${BEGIN}name: x: y\n`, ['2:7 quote the text: it holds a colon: "x: y"'], `${BEGIN}name: "x: y"\n`],
    ['a colon and quotation marks', `${BEGIN}name: a "b": c # d\n`, [`2:7 quote the text: it holds a colon: 'a "b": c'`], `${BEGIN}name: 'a "b": c' # d\n`],
    [
      'two of them',
      `name: x: y\n${BEGIN}description: pay: then refund\n`,
      ['1:7 quote the text: it holds a colon: "x: y"', '3:14 quote the text: it holds a colon: "pay: then refund"'],
      `name: "x: y"\n${BEGIN}description: "pay: then refund"\n`
    ],
    [
      'a colon in braces',
      entry('match: { body: { reason: cold: soup } }, delay: 2s'),
      ['3:51 quote the text: it holds a colon: "cold: soup"'],
      entry('match: { body: { reason: "cold: soup" } }, delay: 2s')
    ],
    [
      'dashes in brackets',
      'fixtures: [ - bistro, - bistro ]\n',
      ['1:13 a list in brackets has no dashes: remove them, and write commas between its members, such as [a, b]'],
      BEGIN
    ],
    [
      'dashes in brackets, a line each',
      'fixtures: [\n  - bistro\n]\n',
      ['2:3 a list in brackets has no dashes: remove them, and write commas between its members, such as [a, b]'],
      BEGIN
    ],
    [
      'a dash in braces',
      entry('match: { body: { reason: - cold } }, delay: 2s'),
      ['3:51 a list in brackets has no dashes: remove them, and write commas between its members, such as [a, b]'],
      entry('match: { body: { reason: [cold] } }, delay: 2s')
    ],
    ['no comma', `${BEGIN}script:\n  - { on: POST /refunds delay: 2s }\n`, ['3:24 a comma is missing before delay'], entry('delay: 2s')],
    ['no comma after a number', `${BEGIN}vars: { a: 1 b: 2 }\n`, ['2:13 a comma is missing before b'], `${BEGIN}vars: { a: 1, b: 2 }\n`],
    [
      'no comma before braces',
      `${BEGIN}script:\n  - { on: POST /refunds hold: { gate: a } }\n`,
      ['3:24 a comma is missing before hold'],
      entry('hold: { gate: a }')
    ],
    ['no space after a colon', `${BEGIN}name:x\n`, ['2:5 a space is missing after the colon: name: x'], `${BEGIN}name: x\n`],
    [
      'no space after a dash',
      `${BEGIN}script:\n  -on: POST /refunds\n   delay: 2s\n`,
      ['3:3 a space is missing after the dash'],
      `${BEGIN}script:\n  - on: POST /refunds\n    delay: 2s\n`
    ],
    [
      'no space after a colon, with a line below',
      `${BEGIN}seed:7\nscript:\n  - on:POST /refunds\n    delay: 2s\n`,
      ['2:5 a space is missing after the colon: seed: 7', '4:7 a space is missing after the colon: on: POST /refunds'],
      `${BEGIN}seed: 7\nscript:\n  - on: POST /refunds\n    delay: 2s\n`
    ],
    ['no space after the only colon', 'fixtures:[bistro]\n', ['1:9 a space is missing after the colon: fixtures: [bistro]'], BEGIN],
    [
      'no space after a colon in braces',
      `${BEGIN}script:\n  - {on:POST /refunds, delay:2s}\nplay: [ { do: POST /refunds, body: {transaction:txn_119, amount: 5} } ]\n`,
      [
        '3:8 a space is missing after the colon: on: POST /refunds',
        '3:29 a space is missing after the colon: delay: 2s',
        '4:48 a space is missing after the colon: transaction: txn_119'
      ],
      `${BEGIN}script:\n  - {on: POST /refunds, delay: 2s}\nplay: [ { do: POST /refunds, body: {transaction: txn_119, amount: 5} } ]\n`
    ],
    [
      'no colon, with a line below',
      `${BEGIN}script\n  - { on: POST /refunds, delay: 2s }\n`,
      ['2:1 a colon is missing after script: write script:'],
      entry('delay: 2s')
    ],
    ['no colon', `${BEGIN}name\n`, ['2:1 must be a name with a colon, such as name: value'], `${BEGIN}name: value\n`],
    ['a tab', `${BEGIN}script:\n\t- { on: POST /refunds, delay: 2s }\n`, ['3:1 the line begins with a tab; indent it with spaces'], entry('delay: 2s')],
    [
      'tabs',
      `${BEGIN}data:\n\ttickets:\n  \t- { id: a, location: loc_bistro, reference: A }\n`,
      ['3:1 the line begins with a tab; indent it with spaces', '4:3 the line begins with a tab; indent it with spaces'],
      `${BEGIN}data:\n  tickets:\n    - { id: a, location: loc_bistro, reference: A }\n`
    ],
    ['a name twice', `name: a\n${BEGIN}name: b\n`, ['3:1 name is given twice, in line 1 already; keep one of them'], `name: a\n${BEGIN}`],
    [
      'a line that is indented too little',
      `${BEGIN}script:\n  - on: POST /refunds\n    calls: 1\n   delay: 2s\n`,
      ['5:1 the line is indented by 3 spaces, which fits no line above it; begin it with 4 spaces, like the one before'],
      `${BEGIN}script:\n  - on: POST /refunds\n    calls: 1\n    delay: 2s\n`
    ],
    [
      'a line that is indented too little, below a dash',
      `${BEGIN}script:\n- on: POST /refunds\n # slow\n delay: 2s\n`,
      ['5:1 the line is indented by 1 space, which fits no line above it; begin it with 2 spaces, like the one before'],
      `${BEGIN}script:\n- on: POST /refunds\n  delay: 2s\n`
    ],
    [
      'a member of a list that is indented too little but for its dash',
      `${BEGIN}script:\n  - on: POST /refunds\n  calls: 1\n  delay: 2s\n`,
      ['4:1 the line is indented by 2 spaces, which fits no line above it; begin it with 4 spaces, like the one before'],
      `${BEGIN}script:\n  - on: POST /refunds\n    calls: 1\n    delay: 2s\n`
    ],
    [
      'a dash between two depths',
      `${BEGIN}script:\n  - on: POST /refunds\n    delay: 2s\n   - on: GET /refunds\n     delay: 2s\n`,
      ['5:1 the line is indented by 3 spaces, which fits no line above it; begin it with 2 spaces, like the dash above it'],
      `${BEGIN}script:\n  - on: POST /refunds\n    delay: 2s\n  - on: GET /refunds\n    delay: 2s\n`
    ],
    [
      'no dash',
      `${BEGIN}expect:\n  - on: POST /refunds\n    times: 0\n  on: GET /refunds\n  times: 0\n`,
      ['5:1 on is given above already; where another member of the list begins, write a dash: - on: GET /refunds'],
      `${BEGIN}expect:\n  - on: POST /refunds\n    times: 0\n  - on: GET /refunds\n    times: 0\n`
    ],
    [
      'a line between two that it may belong to',
      `${BEGIN}script:\n  - on: POST /refunds\n    respond:\n      status: 402\n     calls: 1\n`,
      ['6:1 the line is indented by 5 spaces, which fits no line above it; begin it with 6 spaces, like the one before, or with 4 spaces, like respond'],
      `${BEGIN}script:\n  - on: POST /refunds\n    respond:\n      status: 402\n    calls: 1\n`
    ],
    [
      'a line far below what it belongs to',
      `${BEGIN}script:\n  - on: POST /refunds\n    match:\n      body:\n        amount:\n          gt: 100\n     calls: 1\n    delay: 2s\n`,
      ['8:1 the line is indented by 5 spaces, which fits no line above it; begin it with 6 spaces, like body, or with 4 spaces, like match'],
      `${BEGIN}script:\n  - on: POST /refunds\n    match:\n      body:\n        amount:\n          gt: 100\n    calls: 1\n    delay: 2s\n`
    ],
    [
      'a name below a list of texts',
      `fixtures:\n  - bistro\n name: x\n`,
      ['3:1 the line is indented by 1 space, which fits no line above it; begin it with 0 spaces, like fixtures'],
      `${BEGIN}name: x\n`
    ],
    [
      'a name with brackets in braces',
      step('do: GET /tickets, query: { created[gte]: 2026-01-01, limit: 2 }'),
      ['4:34 quote the name, since it holds brackets: "created[gte]"'],
      step('do: GET /tickets, query: { "created[gte]": 2026-01-01, limit: 2 }')
    ],
    [
      'a tab after spaces',
      `${BEGIN}script:\n  - on: POST /refunds\n    calls: 1\n  \t delay: 2s\n`,
      ['5:3 the line begins with a tab; indent it with spaces'],
      `${BEGIN}script:\n  - on: POST /refunds\n    calls: 1\n    delay: 2s\n`
    ],
    [
      'a line that is indented too deep',
      `${BEGIN}script:\n  - on: POST /refunds\n    delay: 2s\n      calls: 1\n`,
      ['5:7 calls is indented deeper than delay above it, which has a value already; begin it with 4 spaces, like delay'],
      `${BEGIN}script:\n  - on: POST /refunds\n    delay: 2s\n    calls: 1\n`
    ],
    [
      'a quotation mark that is not closed',
      `${BEGIN}name: "x\nseed: 5\n`,
      ['2:7 the quotation mark is not closed; end the text with " in the same line'],
      `${BEGIN}name: "x"\nseed: 5\n`
    ],
    [
      'one that another text closes',
      `${BEGIN}name: "x\ndescription: "y\n`,
      ['2:7 the quotation mark is not closed; end the text with " in the same line'],
      `${BEGIN}name: "x"\ndescription: "y"\n`
    ],
    [
      'an apostrophe in quotation marks',
      `${BEGIN}name: 'it's mine'\n`,
      ['2:7 quote the whole text, since it goes on here: "it\'s mine"'],
      `${BEGIN}name: "it's mine"\n`
    ],
    ['a text after quotation marks', `${BEGIN}name: "a" b\n`, [`2:7 quote the whole text, since it goes on here: '"a" b'`], `${BEGIN}name: '"a" b'\n`],
    ['a text after brackets', `${BEGIN}name: [a] b\n`, ['2:7 quote the whole text, since it goes on here: "[a] b"'], `${BEGIN}name: "[a] b"\n`],
    ['a list that is not closed', 'fixtures: [bistro\nname: x\n', ['1:11 [ is not closed; end it with ]'], `${BEGIN}name: x\n`],
    [
      'a bracket after a list, which no line below it is in',
      'fixtures: [bistro]{\nname: x\n',
      ['1:11 quote the whole text, since it goes on here: "[bistro]{"'],
      `${BEGIN}name: x\n`
    ],
    ['one between apostrophes', "it's: [b'\nname: x\n", ['1:7 [ is not closed; end it with ]'], `${BEGIN}name: x\n`],
    [
      'a first line that is indented deeper than the next',
      `  ${BEGIN}name: x\n`,
      ['2:1 the line is indented by 0 spaces, which fits no line above it; begin it with 2 spaces, like the one before'],
      `  ${BEGIN}  name: x\n`
    ],
    [
      'a line that is indented too little, below a name without a value and an empty line',
      `${BEGIN}script:\n  - on: POST /refunds\n    hold:\n\n   delay: 2s\n`,
      ['6:1 the line is indented by 3 spaces, which fits no line above it; begin it with 4 spaces, like the one before'],
      `${BEGIN}script:\n  - on: POST /refunds\n    hold: { gate: a }\n\n    delay: 2s\n`
    ],
    [
      'braces that are not closed',
      `${BEGIN}script:\n  - { on: POST /refunds, delay: 2s\n  - { on: GET /refunds, delay: 2s }\n`,
      ['3:5 { is not closed; end it with }'],
      `${BEGIN}script:\n  - { on: POST /refunds, delay: 2s }\n  - { on: GET /refunds, delay: 2s }\n`
    ],
    [
      'braces that are not closed after a text with a colon',
      'fixtures: [bistro]\nname: { on: a: b\n',
      ['2:7 { is not closed; end it with }', '2:13 quote the text: it holds a colon: "a: b"'],
      `${BEGIN}name: "on: a: b"\n`
    ],
    [
      'a quotation mark that is not closed, after a name with an apostrophe',
      `${BEGIN}it's: 'x\n`,
      ["2:7 the quotation mark is not closed; end the text with ' in the same line"],
      BEGIN
    ],
    ['a bracket too many', 'fixtures: [bistro]]\nname: x\n', ['1:19 ] closes nothing; remove it, or write the bracket that it closes'], `${BEGIN}name: x\n`],
    [
      'braces in braces',
      step('do: GET /transactions/${payment.id}, expect: { status: 200 }'),
      ['4:11 quote the whole text, since it holds a bracket: "GET /transactions/${payment.id}"'],
      step('do: "GET /transactions/${payment.id}", expect: { status: 200 }')
    ],
    ['a star', entry('delay: 2s', '*'), ['3:11 quote the text, since * has a meaning of its own: "*"'], entry('delay: 2s', '"*"')],
    [
      'an alias of nothing',
      `${BEGIN}name: *x\n`,
      ['2:7 *x refers to nothing, since no &x comes before it; where the * belongs to the text, quote it: "*x"'],
      `${BEGIN}name: "*x"\n`
    ],
    ['an anchor of nothing', `${BEGIN}name: &x\n`, ['2:7 quote the text, since & has a meaning of its own: "&x"'], `${BEGIN}name: "&x"\n`],
    [
      'a tag',
      `${BEGIN}name: !x y\n`,
      ['2:7 !x is a tag of YAML, which documents have none of; where the ! belongs to the text, quote it: "!x y"'],
      `${BEGIN}name: "!x y"\n`
    ],
    ['a sign at the beginning', `${BEGIN}name: @x\n`, ['2:7 quote the text, since it begins with @: "@x"'], `${BEGIN}name: "@x"\n`],
    ['another one', `${BEGIN}name: %x\n`, ['2:7 quote the text, since it begins with %: "%x"'], `${BEGIN}name: "%x"\n`],
    ['a text after >', `${BEGIN}name: > x\n`, ['2:9 after > or |, the text begins in the next line; or quote it'], `${BEGIN}name: "> x"\n`],
    [
      'an escape that is none',
      `${BEGIN}name: "a\\q"\n`,
      ['2:9 \\q is no escape in double quotation marks; write \\\\ for a backslash'],
      `${BEGIN}name: "a\\\\q"\n`
    ],
    [
      'braces in a path, with right lines after it',
      `${BEGIN}script:\n  - { on: GET /tickets/{id}, delay: 1s }\n  - { on: GET /tickets, match: { query: { location: loc_bistro } }, delay: 1s }\n`,
      ['3:11 quote the whole text, since it holds a bracket: "GET /tickets/{id}"'],
      `${BEGIN}script:\n  - { on: "GET /tickets/{id}", delay: 1s }\n  - { on: GET /tickets, match: { query: { location: loc_bistro } }, delay: 1s }\n`
    ],
    ['two documents', `${BEGIN}---\nname: x\n`, ['2:1 --- begins another document, and a file holds one; remove the line'], `${BEGIN}name: x\n`],
    ['JSON without a comma', '{"fixtures": ["bistro"]\n "name": "x"}', ['2:2 a comma is missing before this'], '{"fixtures": ["bistro"],\n "name": "x"}'],
    [
      'JSON without a comma in a line',
      '{"fixtures": ["bistro"] "name": "x"}',
      ['1:25 a comma is missing before this'],
      '{"fixtures": ["bistro"], "name": "x"}'
    ],
    ['JSON with a text after it', '{"fixtures": ["bistro"]} x', ['1:26 nothing may come after the bracket that ends the document'], '{"fixtures": ["bistro"]}'],
    ['JSON that is not closed', '{"fixtures": ["bistro"]', ['1:1 { is not closed; end it with }'], '{"fixtures": ["bistro"]}']
  ]
  for (const [title, wrong, problems, followed] of cases) {
    t.strictSame((await looked(wrong)).problems, problems, title)
    t.strictSame((await looked(followed)).problems, [], `${title}, with the advice followed`)
  }
})

t.test('advice: an error of the parser without advice is shown as it is', async t => {
  t.strictSame((await looked('? [a]\n: b\n? - c\n: &x &y d\n')).problems.length > 0, true)
  t.strictSame((await looked('a: &x &y d\n')).problems, ['1:7 A node can have at most one anchor'])
  t.strictSame((await looked('? a\n  b: c\n')).problems.length > 0, true)
  const cases: [title: string, text: string, problems: string[]][] = [
    ['a colon after a quoted name', '"name": x: y\n', ['1:9 Nested mappings are not allowed in compact mappings']],
    ['a comment right after a bracket', 'fixtures: [bistro]#c\n', ['1:19 Comments must be separated from other tokens by white space characters']],
    ['a tab in a block text', '- |\n\t\n x', ['2:1 Block scalar values in collections must be indented']]
  ]
  for (const [title, text, problems] of cases) t.strictSame((await looked(text)).problems, problems, title)
})

t.test('advice: a value of the wrong kind is explained with what to write, and what follows the advice loads', async t => {
  const card = (last4: string) =>
    `${BEGIN}data:\n  transactions:\n    - { id: txn_a, ticket: tkt_52, payment_type: card, amount: 100, payment_method: { card: { brand: visa, last4: ${last4} } } }\n`
  const ticket = (id: string) => `${BEGIN}data:\n  tickets:\n    - { id: ${id}, location: loc_bistro, reference: T }\n`
  const expecting = (counted: string) => `${BEGIN}expect:\n  - state: { refunds: { count: 1, ${counted} } }\n`
  const matching = (match: string) => entry(`match: { ${match} }, respond: { status: 402 }`, 'POST /transactions')
  const unknown = (name: string) => `no ${name}`
  const cases: [title: string, wrong: string, problems: string[], followed: string][] = [
    ['zeros', card('0042'), ['4:115 data.transactions[0].payment_method.card.last4: must be text or null; got 42; quote it: "0042"'], card('"0042"')],
    [
      'zeros in a match',
      matching('body: { card: { last4: 0042 } }'),
      ['3:63 script[0].match.body.card.last4: can never match: must be four digits, such as 4242; quote it: "0042"'],
      matching('body: { card: { last4: "0042" } }')
    ],
    ['no unit', entry('delay: 2'), ['3:33 script[0].delay: must be a length of time; got 2 without a unit: write 2s or 2ms'], entry('delay: 2s')],
    [
      'no unit, the other one',
      entry('delay: "2"'),
      ['3:33 script[0].delay: must be a length of time; got 2 without a unit: write 2s or 2ms'],
      entry('delay: 2ms')
    ],
    [
      'a space before the unit',
      entry('delay: 2 s'),
      ['3:33 script[0].delay: must be a length of time, such as 250ms, 2s, 36h, 7d or PT36H; write 2s'],
      entry('delay: 2s')
    ],
    [
      'an id with a space',
      ticket('tkt x'),
      ['4:13 data.tickets[0].id: must be an id of 1 to 128 letters, digits, _ and -; got tkt x; write tkt_x'],
      ticket('tkt_x')
    ],
    ['one value for a list', 'fixtures: bistro\n', ['1:11 fixtures: must be a list; got bistro; write it as a list: [bistro]'], BEGIN],
    ['records at the top', `${BEGIN}tickets: []\n`, ['2:10 tickets: unknown name tickets; it goes under data'], `${BEGIN}data: { tickets: [] }\n`],
    [
      'a parameter in match itself',
      matching('payment_type: card'),
      ['3:54 script[0].match.payment_type: unknown name payment_type; it goes under body'],
      matching('body: { payment_type: card }')
    ],
    ['a status in the entry', entry('status: 402'), ['3:34 script[0].status: unknown name status; it goes under respond'], entry('respond: { status: 402 }')],
    [
      'a status in a step',
      step('do: GET /refunds, status: 200'),
      ['4:33 steps[1].status: unknown name status; it goes under expect'],
      step('do: GET /refunds, expect: { status: 200 }')
    ],
    [
      "an enum's wrong word",
      matching('body: { payment_type: visa }'),
      [
        '3:62 script[0].match.body.payment_type: can never match: must be one of card, apple_pay, google_pay, emv, external, paypal, vip; got visa; did you mean vip?'
      ],
      matching('body: { payment_type: vip }')
    ],
    [
      'a key under another name',
      `${step('do: GET /refunds, key: sk_test_merchnt')}play:\n  - { at_once: [ { do: GET /refunds, key: sk_test_resller } ] }\n`,
      [
        '4:30 steps[1].key: the scenario has no such API key; did you mean sk_test_merchant?',
        '6:43 play[0].at_once[0].key: the scenario has no such API key; did you mean sk_test_reseller?'
      ],
      `${step('do: GET /refunds, key: sk_test_merchant')}play:\n  - { at_once: [ { do: GET /refunds, key: sk_test_reseller } ] }\n`
    ],
    [
      'a key like none of the scenario',
      step('do: GET /refunds, key: of_another_service'),
      ['4:30 steps[1].key: the scenario has no such API key; give it under data: api_keys, or expect status 401'],
      step('do: GET /refunds, key: of_another_service, expect: { status: 401 }')
    ],
    [
      'a country by the name that people give it',
      `${BEGIN}data:\n  locations:\n    - { account: mch_bistro, display_name: L, address: { country: UK } }\n`,
      ['4:67 data.locations[0].address.country: UK is not an ISO 3166 code; the United Kingdom is GB'],
      `${BEGIN}data:\n  locations:\n    - { account: mch_bistro, display_name: L, address: { country: GB } }\n`
    ],
    ...(
      [
        ['>5000', 'gt: 5000'],
        ['>= 5000', 'gte: 5000'],
        [' < -1.5 ', 'lt: -1.5'],
        ['<=0', 'lte: 0']
      ] as const
    ).map(([text, meant]): [string, string, string[], string] => [
      `a comparison as text, ${text}`,
      matching(`body: { amount: "${text}" }`),
      [`3:56 script[0].match.body.amount: can never match: must be a number; got ${text}; write { ${meant} }`],
      matching(`body: { amount: { ${meant} } }`)
    ]),
    [
      'a comparison with a word, and one in a list',
      matching('body: { amount: ">many", tip_amount: [">5", 5] }'),
      [
        '3:56 script[0].match.body.amount: can never match: must be a number; got >many',
        '3:77 script[0].match.body.tip_amount: can never match: must be a number; got >5'
      ],
      matching('body: { amount: 5, tip_amount: [5] }')
    ],
    [
      'a comparison of instants as text',
      entry('match: { query: { created: { gte: ">=2026-03-01" } } }, delay: 1s', 'GET /tickets'),
      [
        '3:59 script[0].match.query.created.gte: can never match: must be an ISO 8601 date or date-time, such as 2026-03-01 or 2026-03-01T18:00:00Z; write { gte: 2026-03-01 }'
      ],
      entry('match: { query: { created: { gte: { gte: 2026-03-01 } } } }, delay: 1s', 'GET /tickets')
    ],
    [
      'a comparison of text',
      matching('body: { card: { brand: { gt: a } } }'),
      ['3:69 script[0].match.body.card.brand.gt: card.brand is text; numbers and instants can be compared, text is matched by value, list or /pattern/'],
      matching('body: { card: { brand: [a, b] } }')
    ],
    [
      'a wrong operation',
      entry('delay: 2s', 'POST /tranactions'),
      ['3:11 script[0].on: POST /tranactions is not an operation; did you mean POST /transactions, or GET /transactions, or POST /locations?'],
      entry('delay: 2s', 'POST /transactions')
    ],
    [
      'a Ticket that is nowhere',
      matching('body: { ticket: [tkt_52, tkt_5x2] }'),
      [`3:65 script[0].match.body.ticket[1]: ${unknown('Ticket')} has the id tkt_5x2; did you mean tkt_52?`],
      matching('body: { ticket: [tkt_52] }')
    ],
    [
      'a Ticket that is nowhere near',
      matching('about: { ticket: the_other_table_in_the_corner }'),
      ['3:57 script[0].match.about.ticket: no Ticket has the id the_other_table_in_the_corner; add it under data'],
      matching('about: { ticket: /table/ }')
    ],
    [
      'a name that every object has',
      matching('body: { constructor: tkt_52 }'),
      ['3:61 script[0].match.body.constructor: constructor is not a parameter of this call'],
      matching('body: { ticket: tkt_52 }')
    ],
    [
      'a step under another name',
      step('do: "GET /transactions/${pay.idd}"'),
      ['4:11 steps[1].do: ${pay.idd} refers to nothing; did you mean ${payment.id}?'],
      step('do: "GET /transactions/${payment.id}"')
    ],
    [
      'a field under another name',
      step('do: "GET /transactions/${payment.idd}"'),
      ['4:11 steps[1].do: ${payment.idd}: the answer has no idd; did you mean ${payment.id}?'],
      step('do: "GET /transactions/${payment.id}"')
    ],
    [
      'a field of a list under another name',
      `${step('as: page, do: GET /refunds')}  - { do: "GET /refunds/\${page.data.0.idd}" }\n`,
      ['5:11 steps[2].do: ${page.data.0.idd}: the answer has no data.0.idd; did you mean ${page.data.0.id}?'],
      `${step('as: page, do: GET /refunds')}  - { do: "GET /refunds/\${page.data.0.id}" }\n`
    ],
    [
      'a record under another id',
      step('do: "GET /tickets/${tkt_5x2}"'),
      ['4:11 steps[1].do: ${tkt_5x2} refers to nothing; did you mean ${tkt_52}?'],
      step('do: "GET /tickets/${tkt_52}"')
    ],
    [
      'a reference that is not closed',
      step('do: "GET /transactions/${payment.id"'),
      ['4:11 steps[1].do: ${ is not closed; a reference ends with }, such as ${payment.id}'],
      step('do: "GET /transactions/${payment.id}"')
    ],
    [
      'an answer in a match',
      matching('about: { ticket: "${payment.ticket}" }'),
      [
        '3:57 script[0].match.about.ticket: ${payment.ticket} has no value here: the answers of calls are known in steps, play and expect alone; give the record an id under data, or use a variable'
      ],
      matching('about: { ticket: tkt_52 }')
    ],
    [
      'a reference in an expected state that is not closed',
      expecting('where: { transaction: "${payment.id" }'),
      ['3:57 expect[0].state.refunds.where.transaction: ${ is not closed; a reference ends with }, such as ${payment.id}'],
      expecting('where: { transaction: txn_1 }')
    ],
    [
      'a reference in an expected state to no step',
      expecting('where: { transaction: "${payment.id}" }'),
      [
        '3:57 expect[0].state.refunds.where.transaction: ${payment.id} refers to nothing; give the name that an earlier step has under as, or the id of a record'
      ],
      expecting('where: { transaction: txn_1 }')
    ]
  ]
  for (const [title, wrong, problems, followed] of cases) {
    t.strictSame((await looked(wrong)).problems, problems, title)
    t.strictSame((await looked(followed)).problems, [], `${title}, with the advice followed`)
  }
})

t.test('advice: what a call could still make, and what is expected of calls that are refused, is a warning', async t => {
  const cases: [title: string, text: string, warnings: string[]][] = [
    [
      'a Transaction that is nowhere',
      entry('match: { body: { transaction: txn_none_at_all_of_these_here } }, delay: 1s'),
      ['3:56 script[0].match.body.transaction: no Transaction has the id txn_none_at_all_of_these_here; it matches only once a call has made one with this id']
    ],
    [
      'more calls than are held',
      entry('hold: { until: 101 }'),
      ['3:41 script[0].hold.until: at most 100 calls are held at once (limits.waiting), so 101 never wait together']
    ],
    ['as many calls as are held', entry('hold: { until: 100 }'), []],
    [
      'a Location',
      entry('match: { query: { location: loc_bistr } }, delay: 1s', 'GET /tickets'),
      ['3:53 script[0].match.query.location: no Location has the id loc_bistr; did you mean loc_bistro?']
    ],
    [
      'an Account',
      entry('match: { about: { account: mch_bistr } }, delay: 1s'),
      ['3:53 script[0].match.about.account: no Account has the id mch_bistr; did you mean mch_bistro?']
    ],
    [
      'a User',
      entry('match: { params: { account_id: mch_bistro, user_id: usr_nobody_of_this_name } }, delay: 1s', '"DELETE /accounts/{account_id}/users/{user_id}"'),
      ['3:112 script[0].match.params.user_id: no User has the id usr_nobody_of_this_name; it matches only once a call has made one with this id']
    ],
    [
      'an id in the path of several operations',
      entry('match: { params: { id: nothing_has_this_id_here } }, delay: 1s', '["GET /refunds/{id}", "GET /accounts/{id}/users"]'),
      ['3:85 script[0].match.params.id: no Refund or Account has the id nothing_has_this_id_here; it matches only once a call has made one with this id']
    ],
    [
      'a Ticket that calls are expected to name',
      `${BEGIN}expect:\n  - { on: POST /transactions, match: { body: { ticket: tkt_5x2 } }, times: 0 }\n  - sequence: [ { on: POST /refunds, match: { about: { ticket: tkt_5x2 } } } ]\n`,
      [
        '3:56 expect[0].match.body.ticket: no Ticket has the id tkt_5x2; did you mean tkt_52?',
        '4:64 expect[1].sequence[0].match.about.ticket: no Ticket has the id tkt_5x2; did you mean tkt_52?'
      ]
    ],
    [
      'a key that the scenario does not have, of a call that needs none',
      step('do: POST /transactions, key: sk_test_merchnt, body: { ticket: tkt_52, payment_type: external, amount: 5 }'),
      ['4:36 steps[1].key: the scenario has no such API key, and the call needs none; did you mean sk_test_merchant?']
    ],
    ['patterns, conditions and records that are there', entry('match: { about: { ticket: [/none/, tkt_52], location: { not: loc_x } } }, delay: 1s'), []]
  ]
  for (const [title, text, warnings] of cases) t.strictSame(await looked(text), { problems: [], warnings }, title)
})

t.test('advice: a clock before the records of the fixtures is warned about', async t => {
  const ticket = 'data: { tickets: [ { id: tkt_late, location: loc_bistro, reference: L, created: 2026-04-01T00:00:00Z } ] }\n'
  const warning = (place: string, at: string) =>
    `${place}the clock is at ${at}, and 1 record is from after that, the last one tkt_late; with clock: 2026-04-01T00:00:00.000Z no record is from the future`
  const cases: [text: string, warnings: string[]][] = [
    [`${BEGIN}clock: 2026-03-31\n${ticket}`, [warning('2:8 clock: ', '2026-03-31T00:00:00.000Z')]],
    [`${BEGIN}clock: { now: 2026-03-31T23:59:59.999Z }\n${ticket}`, [warning('2:8 clock: ', '2026-03-31T23:59:59.999Z')]],
    [`${BEGIN}clock: 2026-04-01T00:00:00Z\n${ticket}`, []],
    [`${BEGIN}${ticket}`, []],
    [`${BEGIN}${ticket.replace('2026', '2036')}`, [warning('1:1 ', '2027-01-15T08:00:00.000Z').replaceAll('2026-04', '2036-04')]]
  ]
  for (const [text, warnings] of cases) t.strictSame(await looked(text), { problems: [], warnings }, text)

  const { warnings } = await looked(`${BEGIN}clock: 2026-01-01\n`)
  t.match(warnings[0], /^2:8 clock: the clock is at 2026-01-01T00:00:00.000Z, and \d+ records are from after that/)
})

t.test('advice: all problems are in one list, those beside a wrong part too', async t => {
  const text = `${BEGIN}vars: { bad name: 1, n: 5 }
script:
  - { on: POST /transactions, match: { body: { ticket: tkt_nope_at_all, amount: "\${vars.m}" } }, delay: 2, calls: 0-1 }
  - { on: POST /refund, respond: { status: 700 }, when: after }
  - { delay: 2s }
  - 5
expect:
  - { on: POST /refunds, match: { body: { amout: 1 } }, times: x }
  - { on: POST /refunds, times: 1, at_least: 2, nope: 1 }
  - { times: 1, nope: 1 }
  - x
`
  const { problems } = await looked(text)
  t.strictSame(
    problems.map(problem => problem.replace(/(\d+:\d+ [^:]*): .*/, '$1')),
    [
      '2:19 vars.bad name',
      '4:56 script[0].match.body.ticket',
      '4:81 script[0].match.body.amount',
      '4:105 script[0].delay',
      '4:115 script[0].calls',
      '5:11 script[1].on',
      '5:44 script[1].respond.status',
      '6:5 script[2]',
      '7:5 script[3]',
      '9:50 expect[0].match.body.amout',
      '9:64 expect[0].times',
      '10:55 expect[1].nope',
      '11:23 expect[2].nope',
      '12:5 expect[3]'
    ]
  )
})

t.test('advice: a wrong member of a list hides nothing beside the list', async t => {
  const { problems } = await looked(entry('match: { body: { ticket: ["${vars.m}", tkt_5x2] }, about: { ticket: tkt_5x2 } }, delay: 1s', 'POST /transactions'))
  t.strictSame(
    problems.map(problem => problem.replace(/^\d+:\d+ /, '')),
    [
      'script[0].match.body.ticket[0]: no variable is called m; declare it: vars: { m: … }',
      'script[0].match.about.ticket: no Ticket has the id tkt_5x2; did you mean tkt_52?'
    ]
  )
})

t.test('advice: a thousand problems are found in under a second', async t => {
  const many = (line: string) => `${BEGIN}data: { tickets: [] }\nscript:\n${`${line}\n`.repeat(999)}`
  const texts = [
    many('  - { on: POST /transactions, match: { body: { ticket: tkt_nope } }, respond: { status: 402 } }'),
    many('  - { on: POST /transactions, delay: 2, match: { body: { amount: "${vars.n}" } } }'),
    many('  - { on: POST /transactions, name: x: y, delay: 2s }'),
    `${BEGIN}steps:\n${'  - { do: "GET /tickets/${tkt_5x2}" }\n'.repeat(999)}`,
    `${BEGIN}${Array.from({ length: 999 }, (_, nth) => `a${nth}: b: c\n`).join('')}`
  ]
  for (const text of texts) {
    const begun = cpuTime()
    const { problems } = await looked(text)
    t.ok(problems.length >= 999, `${problems.length}: ${problems[0]}`)
    t.ok(cpuTime() - begun < 1000, `${Math.round(cpuTime() - begun)} ms`)
  }
})

t.test('advice: shipped documents and the shared script entries are right', async t => {
  const found = await library.sharedScript('outages', null)
  t.type(found, 'object')
  t.ok((found as { name: string }).name.endsWith(join('scenarios', 'outages.yaml')))
})
