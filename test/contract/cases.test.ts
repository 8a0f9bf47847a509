/**
 * The table of cases: checked against the ledgers, and each sent to the app: its response, its
 * changes, and its evidence.
 */
import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { NO_WORDS } from '../../src/core/redaction.js'
import { nested } from '../../src/core/settings.js'
import { execute } from '../../src/engine/play.js'
import { explained } from '../../src/evidence/why.js'
import { startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'
import {
  type Answer,
  answerOf,
  blameOf,
  MERCHANT,
  NOW,
  RESELLER,
  smallFixture
} from '../support/requests.js'
import { stateOf } from '../support/world.js'
import {
  type AssumptionCases,
  type AssumptionId,
  type Case,
  type CountedAssumption,
  type Expected,
  type RuleId,
  STOPS
} from './case.js'
import { ASSUMPTION_CASES, RULE_CASES, USUAL } from './cases.js'
import { Performance, type Sent } from './performing.js'

const ledger = (name: string) =>
  JSON.parse(readFileSync(new URL(`./${name}.json`, import.meta.url), 'utf8'))
const rules: { id: RuleId; violable: boolean; passable?: false }[] = ledger('rules')
const RULE_IDS = Object.keys(RULE_CASES) as RuleId[]
const STANDING: readonly AssumptionId[] = ['A01', 'A33', 'A34']
const NONE = { relies: [], not: [] }
const titles = (cases: readonly Case[]) => cases.map(({ title }) => title)
const repeated = (cases: readonly Case[]) =>
  titles(cases).filter((title, at, all) => all.indexOf(title) !== at)

t.test('every rule has passes, near misses and, if possible, violations', async t => {
  t.strictSame(
    RULE_IDS,
    rules.map(({ id }) => id)
  )
  for (const { id, violable, passable } of rules) {
    const { right, kept, silent, broken } = RULE_CASES[id]
    const all = [...kept, ...silent, ...broken]
    t.strictSame(
      [kept.length > 0, silent.length > 0, broken.length > 0],
      [passable !== false, true, violable],
      `${id} is kept, nearly met, and broken where it can be`
    )
    const wrong: Record<string, Case[]> = {
      'breaks it and is blamed on another': broken.filter(({ blames }) => blames?.[3] !== id),
      'is near it and keeps or breaks it': silent.filter(
        ({ blames, also }) => blames?.[3] === id || also?.includes(id)
      ),
      'is asked of any service, of which no right call is known': broken.filter(
        ({ reference, right: own }) => reference && !own && !right
      ),
      'is asked of any service, with records or settings': all.filter(
        ({ reference, records, settings }) => reference && (records || settings)
      )
    }
    for (const [what, cases] of Object.entries(wrong))
      t.strictSame(titles(cases), [], `${id}: a case that ${what}`)
    t.strictSame([kept, silent, broken].map(repeated), [[], [], []], `the titles of ${id} differ`)
  }
})

t.test('every counted assumption has responses that rely on it, and near misses', async t => {
  const counted = (ledger('assumptions') as { id: CountedAssumption }[])
    .map(({ id }) => id)
    .filter(id => !STANDING.includes(id))
  for (const id of counted) {
    const { relies, not } = ASSUMPTION_CASES[id] ?? NONE
    const isUsual = USUAL.filter(({ rests }) => rests?.includes(id)).length
    t.ok(relies.length + isUsual > 0 && not.length + USUAL.length > isUsual, id)
    t.strictSame(
      titles(not.filter(({ blames }) => blames?.[3] === id)),
      [],
      `a near miss of ${id} is not blamed on it`
    )
    t.strictSame([relies, not].map(repeated), [[], []], `the titles of ${id} differ`)
  }
  t.strictSame(
    Object.keys(ASSUMPTION_CASES).filter(id => !counted.includes(id as CountedAssumption)),
    []
  )
})

const WAY_IN: readonly RuleId[] = ['BASE-1', 'AUTH-1', 'AUTH-3', 'FORM-1', 'FORM-2', 'FORM-3']
/** Decided before the operation: admission, and POST /transactions without a key. */
const BEFORE_THE_REST: readonly RuleId[] = [...WAY_IN, 'AUTH-2']
const LIST = /^GET \/(locations|accounts|tickets|transactions|refunds|accounts\/[^/]+\/users)\/?$/
const isBracketed = (text = '') =>
  text
    .split('&')
    .some(pair => /^[^=]+\[[^\]]+\]/.test(decodeURIComponent(pair.split('=')[0] as string)))

function wayIn({ blames, decoded }: Case, { on, body, query }: Sent): readonly RuleId[] {
  const stopped = blames && !decoded && STOPS[blames[1]]
  if (stopped) return stopped
  const shows: Partial<Record<RuleId, unknown>> = {
    'BASE-1': true,
    'AUTH-1': on !== 'POST /transactions',
    'AUTH-3': on !== 'POST /transactions',
    'FORM-1': on.startsWith('POST') && body,
    'FORM-2': isBracketed(body) || isBracketed(query),
    'FORM-3': LIST.test(on) && query
  }
  return WAY_IN.filter(rule => shows[rule] && rule !== blames?.[3])
}
const ordered = (rules: readonly RuleId[]) => RULE_IDS.filter(rule => rules.includes(rule))
const isRule = (by: string | undefined): by is RuleId => RULE_IDS.includes(by as RuleId)
const isUnset = (value: unknown) => value === null || value === undefined

/** Two Locations: a month-old Ticket is at one, the newest at the other. */
const LOCATIONS = ['loc_a', 'loc_b'].map(id => ({
  id,
  account: 'mch_a',
  display_name: id,
  address: { country: 'US' }
}))
const TICKETS = [
  { id: 'tkt_a', location: 'loc_a', reference: 'T-1', created: '2026-02-01T10:00:00Z' },
  { id: 'tkt_b', location: 'loc_b', reference: 'T-2', created: NOW }
]
const KEYS = { merchant: MERCHANT, reseller: RESELLER }
const basic = (name: string, password = '') =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

/** An emulator for cases: setup is not recorded; the request itself is. */
async function startCases(t: Test) {
  const { control, inject, sandbox } = await startTestEmulator(t, { logged: false })
  let loaded = ''
  let calls = 0
  let last: Sent | undefined
  let isRecorded = false

  const send = async (sent: Sent): Promise<Answer> => {
    const { on, body = null, query, key = 'merchant', headers, outside } = sent
    const [method, path] = on.split(' ') as ['POST', string]
    const authorization =
      key !== null && (typeof key === 'string' ? basic(KEYS[key]) : basic(key.name, key.password))
    const request = {
      method,
      url: `${outside ? '' : '/next'}${path}${query === undefined ? '' : `?${query}`}`,
      headers: {
        ...(authorization && { authorization }),
        ...(body !== null && {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': String(Buffer.byteLength(body))
        }),
        ...headers
      }
    }
    last = sent
    if (isRecorded) return inject({ ...request, ...(body !== null && { payload: body }) })
    const { outcome, payload } = execute(sandbox, { ...request, body })
    return answerOf(outcome.status, { 'content-type': 'json' }, String(payload))
  }
  const found = (path: string) => async () => (await send({ on: `GET ${path}` })).body
  const [ticket, newest_ticket, place] = [
    '/tickets/tkt_a',
    '/tickets/tkt_b',
    '/locations/loc_a'
  ].map(found) as [() => Json, () => Json, () => Json]
  const target = {
    send,
    known: { ticket, older_ticket: ticket, ticket_there: ticket, newest_ticket, place },
    unique: () => `n${++calls}`,
    constants: { merchant_key: MERCHANT }
  }

  const played = async (each: Case) => {
    const { title, records, settings = {}, call } = each
    const wanted = JSON.stringify([records, settings])
    if (wanted === loaded) sandbox.reset()
    else {
      const data = {
        ...smallFixture(records),
        locations: [...LOCATIONS, ...(records?.locations ?? [])],
        tickets: [...TICKETS, ...(records?.tickets ?? [])]
      }
      const { status, text } = await control('POST /load', {
        scenario: { clock: NOW, settings: nested(settings), data }
      })
      if (status !== 200) throw new Error(`${title}: the state could not be loaded: ${text}`)
      loaded = wanted
    }
    const performance = new Performance<Answer>(target)
    await performance.prepare(each)
    const before = stateOf(sandbox)
    isRecorded = true
    const answer = await performance.call(call)
    isRecorded = false
    const sent = last as Sent
    const { journal } = sandbox.evidence
    const id = String(answer.headers['request-id'])
    const { why } = explained(
      journal.get(id) as NonNullable<ReturnType<typeof journal.get>>,
      sandbox.evidence,
      NO_WORDS
    )
    return { answer, sent, performance, why, isChanged: stateOf(sandbox) !== before }
  }
  return { sandbox, control, played }
}
type Cases = Awaited<ReturnType<typeof startCases>>
type Played = Awaited<ReturnType<Cases['played']>>

async function checkAnswer(
  t: Test,
  { title, call, answers, blames, later = [], settings }: Case,
  { answer, performance, isChanged }: Played
): Promise<void> {
  const shows = async (said: Answer, expected: Expected, of: string) =>
    t.strictSame(await performance.differences(said, expected, isUnset), [], of)
  if (!blames) t.equal(answer.status < 300 ? 'answered' : answer.text, 'answered', title)
  else t.strictSame(answer.body.error ? blameOf(answer) : answer.text, blames, title)
  if (blames) t.notOk(isChanged, `${title}: nothing is changed`)
  if (!blames && !settings) t.equal(answer.status, call.on.startsWith('DELETE') ? 204 : 200, title)
  if (answers) await shows(answer, answers, title)
  for (const [asked, expected] of later)
    await shows(await performance.send(asked), expected, `${title}: then ${asked.on}`)
}

/**
 * The rules that the request passed and violated, by `why` and by coverage; `rule` must be passed.
 */
function checkRules(
  t: Test,
  { sandbox }: Cases,
  each: Case,
  { sent, why }: Played,
  rule?: RuleId
): void {
  const { title, blames, also = [] } = each
  const kept = ordered([...wayIn(each, sent), ...also, ...(rule ? [rule] : [])])
  const broken = blames && isRule(blames[3]) && !kept.includes(blames[3]) ? [blames[3]] : []
  const named = (verdict: string) =>
    why.rules.filter(row => row.verdict === verdict).map(row => row.rule)
  const rest = why.rules.findIndex(row => !BEFORE_THE_REST.includes(row.rule))
  const coverage = sandbox.evidence.totals.coverage
    .report()
    .rules.filter(({ passed, violated }) => passed + violated > 0)

  t.strictSame(
    coverage.map(row => [row.rule, row.passed, row.violated]),
    ordered([...kept, ...broken]).map(id => (kept.includes(id) ? [id, 1, 0] : [id, 0, 1])),
    `${title}: coverage`
  )
  t.strictSame(
    [ordered(named('passed')), named('violated'), why.rules.length],
    [kept, broken, kept.length + broken.length],
    `${title}: why, a rule once`
  )
  t.equal(
    why.rules.at(-1)?.verdict === 'violated',
    broken.length > 0,
    `${title}: what broke comes last`
  )
  const isWayInLater =
    rest >= 0 &&
    why.rules
      .slice(rest)
      .some(({ rule: later, verdict }) => verdict === 'passed' && BEFORE_THE_REST.includes(later))
  t.notOk(isWayInLater, `${title}: the way in comes first`)
}

function checkAssumptions(
  t: Test,
  { title, blames, relies = [], reliesNot = [], rests }: Case,
  { why }: Played
): void {
  const ids = why.assumptions.map(({ assumption }) => assumption)
  if (rests) t.strictSame([...ids].sort(), rests, title)
  const by = blames && !isRule(blames[3]) ? [blames[3]] : []
  const needed = [...relies, ...by, ...(blames ? (['A07'] as const) : [])]
  const barred = [...reliesNot, ...(blames ? [] : (['A07', 'A08'] as const)), ...STANDING]

  t.strictSame(
    [needed.filter(id => !ids.includes(id)), barred.filter(id => ids.includes(id))],
    [[], []],
    `${title}: missing, and too many`
  )
  t.equal(ids.length, new Set(ids).size, `${title}: an assumption once`)
}

t.test('the rules', async t => {
  const cases = await startCases(t)
  for (const rule of RULE_IDS) {
    const { kept, silent, broken } = RULE_CASES[rule]
    await t.test(rule, async t => {
      for (const each of [...kept, ...silent, ...broken]) {
        const played = await cases.played(each)
        checkRules(t, cases, each, played, kept.includes(each) ? rule : undefined)
        checkAssumptions(t, each, played)
        await checkAnswer(t, each, played)
      }
    })
  }

  const { seen, possible, percent, never_exercised, never_violated } = (
    await cases.control('GET /coverage?scope=run')
  ).body
  t.strictSame(
    { seen, possible, percent, never_exercised, never_violated },
    { seen: 91, possible: 91, percent: 100, never_exercised: [], never_violated: [] }
  )
})

/** The response relies on the assumption, and is the one that is counted for it. */
function checkCounted(t: Test, { sandbox }: Cases, id: AssumptionId, { answer }: Played) {
  const { times, requests } = sandbox.evidence.totals.assumptions.get(id)
  t.strictSame([times, requests], [1, [answer.headers['request-id']]], `${id}: counted`)
}

t.test('the assumptions', async t => {
  const cases = await startCases(t)
  await t.test('all of a usual response', async t => {
    for (const each of USUAL) {
      const played = await cases.played(each)
      checkAssumptions(t, each, played)
      for (const id of each.rests ?? []) checkCounted(t, cases, id, played)
      await checkAnswer(t, each, played)
    }
  })
  for (const [id, { relies, not }] of Object.entries(ASSUMPTION_CASES) as [
    AssumptionId,
    AssumptionCases
  ][]) {
    await t.test(id, async t => {
      for (const each of [...relies, ...not]) {
        const played = await cases.played(each)
        const own = relies.includes(each)
          ? { relies: [...(each.relies ?? []), id] }
          : { reliesNot: [...(each.reliesNot ?? []), id] }
        checkAssumptions(t, { ...each, ...own }, played)
        if (each.blames && each.blames[0] !== 501) checkRules(t, cases, each, played)
        if (relies.includes(each)) checkCounted(t, cases, id, played)
        await checkAnswer(t, each, played)
      }
    })
  }
})

t.test('A01, A33, A34: they apply to every response, and are not counted', async t => {
  const { call, control } = await startTestEmulator(t, { logged: false })
  await call('GET /locations')
  const standing = (await control('GET /assumptions')).body.data.filter(
    ({ standing }: Json) => standing
  )
  t.strictSame(
    standing.map(({ id, times, requests }: Json) => [id, times, requests]),
    STANDING.map(id => [id, 0, []])
  )
})
