/** Entries that an earlier one leaves no call, as a load warns of them. */
import t from 'tap'
import { parse } from 'yaml'
import { coded } from '../support/codes.js'
import { smallFixture } from '../support/emulator.js'
import { codesIn, lookedAt, problemsIn } from '../support/first-state.js'

const on = 'POST /transactions'
const answer = { respond: { status: 402 } }

t.test(
  'script: an entry that can never apply is warned about, with the entry that shadows it',
  async t => {
    type Pairs = Record<string, [earlier: object, later: object]>
    const shadowed: Pairs = parse(`{
    the same: [{ match: { body: { payment_type: card } } }, { match: { body: { payment_type: card } } }],
    a narrower match: [{ match: { body: { payment_type: card } } }, { match: { body: { payment_type: card, amount: { gt: 5 } } } }],
    a member of a list: [{ match: { body: { payment_type: [card, emv] } } }, { match: { body: { payment_type: emv } } }],
    a list of members: [{ match: { body: { payment_type: [card, emv, vip] } } }, { match: { body: { payment_type: [vip, card] } } }],
    a value that meets a bound: [{ match: { body: { amount: { gte: 5 } } } }, { match: { body: { amount: 6 } } }],
    a value that meets a pattern: [{ match: { body: { 'card[brand]': /^v/ } } }, { match: { body: { card: { brand: visa } } } }],
    the same calls: [{ match: { body: { amount: 6 } }, calls: 1-3 }, { match: { body: { amount: 6 } }, calls: 2 }],
    the first of the same calls: [{ calls: 1-3 }, { calls: 1 }], the last of the same calls: [{ calls: 1-3 }, { calls: 3 }],
    a pattern of operations: [{ on: '* /transactions', match: { body: { amount: 6 } } }, { match: { body: { amount: 6 } } }],
    the same alternatives: [{ match: { any: [{ key: k }, { body: { amount: 6 } }] } }, { match: { any: [{ key: k }, { body: { amount: 6 } }], key: x } }],
    the same hours: [{ at: 22:00-06:00, match: { key: k } }, { at: 22:00-06:00, match: { key: k } }],
    after the same one: [{ after: zero, calls: 1-2, match: { key: k } }, { after: zero, calls: 2, match: { key: k } }],
    hours: [{ match: { key: k } }, { at: 22:00-06:00, match: { key: k } }], after one: [{ match: { key: k } }, { after: { ended: zero }, match: { key: k } }],
    the same calls of each value: [{ per: ticket, calls: 1-3 }, { per: ticket, calls: 2 }], all of each value: [{ match: { key: k } }, { match: { key: k }, per: ticket, calls: 2 }],
    a header: [{ match: { headers: { via: /a/ } } }, { match: { headers: { via: ab } } }],
    more operations: [{ on: [GET /tickets, POST /transactions], match: { body: { amount: 6 } } }, { match: { body: { amount: 6 } } }],
    a longer time: [{ match: { body: { amount: 6 } }, from: 2026-01-01 }, { match: { body: { amount: 6 } }, from: 2026-02-01 }]
  }`)
    const apart: Pairs = parse(`{
    a wider match: [{ match: { body: { payment_type: card, amount: 5 } } }, { match: { body: { payment_type: card } } }],
    another part: [{ match: { body: { amount: 6 } } }, { match: { about: { ticket: tkt_a } } }],
    another part with the same name: [{ match: { body: { ticket: tkt_a } } }, { match: { about: { ticket: tkt_a } } }],
    other alternatives: [{ match: { any: [{ key: k }, { body: { amount: 6 } }] } }, { match: { any: [{ key: k }, { body: { amount: 5 } }] } }],
    one of the alternatives: [{ match: { any: [{ key: k }, { body: { amount: 6 } }] } }, { match: { key: k } }],
    certain hours: [{ at: 22:00-06:00 }, {}], other hours: [{ at: 22:00-06:00 }, { at: 22:00-05:00 }], after another: [{ after: zero }, {}],
    after its end: [{ after: zero }, { after: { ended: zero } }], the same calls of certain hours: [{ calls: 1-3 }, { calls: 1-3, at: 22:00-06:00 }],
    the same calls after another: [{ calls: 1-3 }, { calls: 1-3, after: zero }],
    calls of each value: [{ per: ticket, calls: 1-3 }, { calls: 1-3 }], calls of all: [{ calls: 1-3 }, { per: ticket, calls: 1-3 }],
    calls of other values: [{ per: key, calls: 1-3 }, { per: test, calls: 1-3 }], those that have a value: [{ per: ticket, calls: 1+ }, {}],
    another header: [{ match: { headers: { via: a } } }, { match: { headers: { from: a } } }],
    another parameter: [{ match: { body: { amount: 6 } } }, { match: { body: { tip_amount: 6 } } }],
    another value: [{ match: { body: { amount: 5 } } }, { match: { body: { amount: 6 } } }],
    a pattern for a value: [{ match: { body: { 'card[brand]': visa } } }, { match: { body: { 'card[brand]': /visa/ } } }],
    a pattern that meets the pattern: [{ match: { body: { 'card[brand]': /v/ } } }, { match: { body: { 'card[brand]': /v|x/ } } }],
    a condition for a pattern: [{ match: { body: { 'card[brand]': /o/ } } }, { match: { body: { 'card[brand]': { present: true } } } }],
    a member that is not in the list: [{ match: { body: { payment_type: [card, emv] } } }, { match: { body: { payment_type: [card, vip] } } }],
    a condition for a value: [{ match: { body: { amount: { gte: 5 } } } }, { match: { body: { amount: { gt: 4 } } } }],
    all calls but the first: [{ calls: 2+ }, { match: { body: { amount: 6 } } }], the first calls: [{ calls: 1-2 }, { match: { body: { amount: 6 } } }],
    other calls: [{ match: { body: { amount: 6 } }, calls: 1 }, { match: { body: { amount: 6 } }, calls: 2 }],
    a call before the same ones: [{ calls: 2 }, { calls: 1-2 }], by chance: [{ chance: 0.5 }, {}], for a time: [{ for: 1s }, {}],
    the same calls of a wider match:
      [{ match: { body: { payment_type: card } }, calls: 1 }, { match: { body: { payment_type: card, amount: 6 } }, calls: 1 }],
    the same calls of more operations: [{ on: [GET /tickets, POST /transactions], calls: 1 }, { calls: 1 }], from a time on: [{ from: 2026-01-01 }, {}],
    the same calls of a longer time: [{ calls: 1, from: 2026-01-01 }, { calls: 1, from: 2026-02-01 }], until a time: [{ until: 2026-01-01 }, {}],
    the same calls of a time that ends later: [{ calls: 1, until: 2026-02-01 }, { calls: 1, until: 2026-01-01 }],
    another operation: [{ on: POST /refunds, match: { body: { amount: 6 } } }, { match: { body: { amount: 6 } } }],
    'card data, of which no value is kept':
      [{ match: { body: { 'card[number]': '4242424242424242' } } }, { match: { body: { 'card[number]': '4000000000000002' } } }],
    'card data, whose digest a pattern meets': [{ match: { body: { 'card[number]': /a/ } } }, { match: { body: { 'card[number]': '4242424242424242' } } }]
  }`)
    const warningsOf = async (...entries: object[]): Promise<string[]> => {
      const zero = { name: 'zero', on: 'GET /tickets', calls: 1, delay: '1s' }
      const script = [
        ...entries.map(entry => ({ on, ...answer, ...entry })),
        ...('after' in (entries[1] ?? {}) || 'after' in (entries[0] ?? {}) ? [zero] : [])
      ]
      const { problems, warnings } = await lookedAt({ data: smallFixture(), script })
      t.strictSame(problems, [])
      return warnings.map(
        ({ path, message, ...said }) => `${coded(path, said)} ${message.includes('"first"')}`
      )
    }
    for (const [title, [earlier, later]] of Object.entries(shadowed))
      t.strictSame(
        await warningsOf({ name: 'first', ...earlier }, later),
        ['script[1] shadowed true'],
        title
      )
    for (const [title, [earlier, later]] of Object.entries(apart))
      t.strictSame(await warningsOf(earlier, later), [], title)
    const unnamed = [5, 6, 5].map(amount => ({ match: { body: { amount } } }))
    t.strictSame(
      await warningsOf(...unnamed),
      ['script[2] shadowed false'],
      'one without a name is called by its place'
    )
  }
)

t.test(
  'script: an entry behind those that act on every request of its operations is a problem, and a warning where they are in another list',
  async t => {
    const all = { on: 'GET /tickets', delay: '1s' }
    const some = { ...all, match: { key: 'k' } }
    const later = { ...all, calls: '2+' }
    const other = { on: 'GET /refunds', delay: '1s' }
    const cases: [title: string, script: object[], ...problems: string[]][] = [
      ['none', []],
      ['conditions first', [some, { ...all, calls: 1 }, later, all, other]],
      ['behind one', [all, some, other], 'script[1] shadowed'],
      ['behind one, twice', [all, all, later], 'script[1] shadowed', 'script[2] shadowed'],
      [
        'behind one of any operation',
        ['1s', '2s'].map(delay => ({ on: '*', delay })),
        'script[1] shadowed'
      ],
      [
        'behind several',
        [all, other, { on: ['GET /tickets', 'GET /refunds'], delay: '1s' }],
        'script[2] shadowed'
      ],
      ['behind some of several', [all, { on: ['GET /tickets', 'GET /refunds'], delay: '1s' }]],
      [
        'behind many',
        [...Array.from({ length: 101 }, (_, calls) => ({ ...all, calls: calls + 1 })), all, some],
        'script[102] shadowed'
      ],
      [
        'an empty match is no condition',
        [{ ...all, match: { query: { created: {} } } }, some],
        'script[1] shadowed'
      ],
      ['1+ is every request', [{ ...all, calls: '1+' }, some], 'script[1] shadowed'],
      ['every request but the first', [later, some]],
      ...[
        { chance: 0.5 },
        { from: '2026-03-01' },
        { until: '2026-03-01' },
        { for: '1s' },
        { per: 'key' as const, calls: '1+' }
      ].map((more): (typeof cases)[number] => [
        `behind one with ${JSON.stringify(more)}`,
        [{ on: '*', delay: '1s', ...more }, all]
      ]),
      ['one that is wrong itself', [{ on: 'GET /tickets' }, all], 'script[0] no_action']
    ]
    for (const [title, script, ...problems] of cases)
      t.strictSame(await codesIn({ data: smallFixture(), script }), problems, title)
    const [problem] = await problemsIn({
      script: [{ ...all, name: 'a' }, other, { on: ['GET /tickets', 'GET /refunds'], delay: '1s' }]
    })
    const by =
      'the entry "a" and entry 2 of the script act on every GET /tickets or GET /refunds request that it matches'
    t.equal(problem, `script[2]: can never apply: ${by}`)
  }
)
