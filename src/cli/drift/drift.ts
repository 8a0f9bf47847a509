/**
 * How the responses of a running service differ from the emulator's. The requests were sent there
 * already; here they are made one after the other in an emulator that has the same scenario. If
 * something is wrong, they are made again with each other value of every setting that has a few
 * words for values: where that leaves less and adds nothing, the setting explains what is gone.
 */
import { BASE } from '../../core/paths.js'
import { partAt, type Step } from '../../core/places.js'
import { isObject } from '../../core/quick-check.js'
import { type GivenSettings, SETTINGS, type SettingKey } from '../../core/settings.js'
import { stepsTo, type Template, valueAt } from '../../core/templates.js'
import type { Exchange } from '../../engine/exchange.js'
import { execute } from '../../engine/execute.js'
import { answerSeen, requestOf } from '../../engine/play.js'
import { type OperationId, operationOf } from '../../reference/operations.js'
import { Sandbox } from '../../sandbox/sandbox.js'
import type { SourceDocument } from '../../scenario/documents.js'
import type { Library } from '../../scenario/library.js'
import { bindingsOf, type Launch } from '../../scenario/scenario.js'
import {
  type Json,
  type StepAnswer,
  type StepCall,
  type StepOutcome,
  wantsStatus
} from '../../scenario/steps.js'
import { EMBEDDED } from '../../store/bytes.js'
import { FAMILIES, type Records } from '../../store/store.js'
import { givenVariables, type PlayedWith } from '../check/scenario-keys.js'
import { SAYS } from '../sentences.js'
import {
  answerDifferences,
  type Difference,
  fieldOf,
  formProblem,
  IdPairs,
  isMade,
  membersOf,
  type Sides
} from './compare.js'
import { namedIn, ServiceRecords, saysMissing } from './service-records.js'

/** A request that was sent to the service, with its response and its place in the scenario. */
export type PlayedStep = { place: readonly Step[]; label: string; outcome: StepOutcome }
/** What differs in the response to a request; `settings` explain it, each alone. */
export type Deviation = Difference & {
  played: PlayedStep
  isWrong: boolean
  settings: GivenSettings[]
}
export type Drift = { deviations: readonly Deviation[]; pairs: IdPairs }
type DriftOptions = Pick<PlayedWith, 'keys' | 'variables'> & {
  document: SourceDocument
  library: Library
  launch: Launch
  /** The base address of the service. */
  base: string
  /** The scenario's key for one that was sent in its place. */
  keyHere: (key: string | null) => string | null
}

const SEED = 2_147_483_629
/** Acts where the scenario has no merchant's key. */
const CALLER = {
  id: 'caller',
  object: 'account',
  type: 'merchant',
  created: '1970-01-01T00:00:00.000Z',
  reseller: null
} as Records['accounts']

/** Compares every request, in the order in which they took effect, and tries settings. */
export async function driftOf(
  playedSteps: readonly PlayedStep[],
  options: DriftOptions
): Promise<Drift> {
  const ordered = inEffectOrder(playedSteps.filter(wasMade))
  const sandbox = await loadedFor(options)
  const first = sandbox.snapshot()
  const drift = await replay(sandbox, ordered, options)
  const wrong = drift.deviations.filter(({ isWrong }) => isWrong)
  const placeOf = ({ played, steps }: Deviation) => JSON.stringify([ordered.indexOf(played), steps])
  const places = new Set(wrong.map(placeOf))
  for (const settings of wrong.length === 0 ? [] : settingsToTry(sandbox)) {
    const own = Object.keys(settings).map(key => [key, sandbox.settings[key as SettingKey]])
    sandbox.restore(first)
    await sandbox.changeSettings(settings)
    const tried = await replay(sandbox, ordered, options)
    await sandbox.changeSettings(Object.fromEntries(own))
    const left = tried.deviations.filter(({ isWrong }) => isWrong)
    const leftPlaces = new Set(left.map(placeOf))
    const gone = wrong.filter(one => !leftPlaces.has(placeOf(one)))
    // below what is gone nothing could be compared before
    const isNew = (one: Deviation) =>
      !places.has(placeOf(one)) &&
      !gone.some(
        ({ played, steps }) =>
          played === one.played && steps.every((step, depth) => step === one.steps[depth])
      )
    if (!left.some(isNew)) for (const one of gone) one.settings.push(settings)
  }
  return drift
}

/** A step that refers to a missing response is not sent. */
export const wasMade = ({ outcome: { answer } }: PlayedStep) =>
  answer.status !== 0 || answer.body !== null

/**
 * Requests that were sent together are compared in the order that their responses suggest: the
 * accepted ones, then the refused ones.
 */
function inEffectOrder(playedSteps: readonly PlayedStep[]): PlayedStep[] {
  const groupOf = ({ place }: PlayedStep) => `${place[0]} ${place[1]}`
  const groups = [...new Set(playedSteps.map(groupOf))]
  const ranks = new Map(groups.map((group, rank) => [group, 2 * rank]))
  const rankOf = (played: PlayedStep) =>
    (ranks.get(groupOf(played)) as number) + Number(!isMade(played.outcome.answer))
  return [...playedSteps].sort((one, other) => rankOf(one) - rankOf(other))
}

/** The other values of each setting of a sandbox that has few. `warn` responds as `ignore` does. */
const settingsToTry = ({ settings }: Sandbox): GivenSettings[] =>
  Object.entries(SETTINGS).flatMap(([key, { scope, schema }]) => {
    const { type, enum: words = type === 'boolean' ? [true, false] : [] } = schema as {
      type?: string
      enum?: readonly unknown[]
    }
    return scope === 'process' || key.startsWith('evidence.')
      ? []
      : words
          .filter(word => word !== 'warn' && word !== settings[key as SettingKey])
          .map(word => ({ [key]: word }))
  })

async function loadedFor(options: DriftOptions): Promise<Sandbox> {
  const { document, library, launch, keys, variables } = options
  const sandbox = new Sandbox({ library, launch, machine: Date.now })
  const origin = { name: document.name, file: document.name }
  await sandbox.load(document, origin, { variables: givenVariables({ variables }), keys })
  // what the run makes here has an id that no record of the service has, were that an emulator too
  await sandbox.changeSettings({ seed: SEED })
  if (bindingsOf(sandbox.store).key('') === null) {
    sandbox.store.accounts.insert(CALLER)
    sandbox.store.keys.set(CALLER.id, CALLER.id)
  }
  return sandbox
}

/** Makes every request here, without the script, and compares the responses. */
async function replay(
  sandbox: Sandbox,
  ordered: readonly PlayedStep[],
  { base, keyHere, variables, document }: DriftOptions
): Promise<Drift> {
  const isKnown = (id: string) =>
    [loaded, sandbox.store].some(store => FAMILIES.some(family => store[family].get(id)))
  const { store: loaded } = sandbox.requireLoaded()
  const pairs = new IdPairs(isKnown)
  for (const [name, value] of variables) if (value !== '' && isKnown(name)) pairs.set(value, name)
  const { 'shapes.list': list, 'shapes.error': error } = sandbox.settings
  const bases = { here: BASE, there: new URL(base).pathname.replace(/\/+$/, '') }
  const sides: Sides = { pairs, bases, list, error }
  const records = new ServiceRecords(sandbox)
  const hasScript = ((document.data as { script?: unknown[] } | null)?.script ?? []).length > 0
  const deviations: Deviation[] = []
  for (const played of ordered) {
    const { call, answer: there } = played.outcome
    const add = (differences: readonly Difference[], isWrong: boolean) =>
      deviations.push(...differences.map(one => ({ ...one, played, isWrong, settings: [] })))
    const { wrong, others } = await records.learn(call, there, sides)
    // what the run makes is made at the time of the service
    const created = Date.parse(fieldOf(there.body, 'created') as string)
    if (records.isMade(fieldOf(there.body, 'id')) && !Number.isNaN(created))
      sandbox.setClock({ at: created, running: false })
    const before = sandbox.snapshot()
    const key = call.key === null ? null : (keyHere(call.key) ?? CALLER.id)
    const request = requestOf({ ...translated(call, pairs), key })
    const onEntered = (operation: OperationId) =>
      call.method === 'GET' && records.leaveOutUnseen(operation, sides)
    const exchange = execute(sandbox, request, { isScripted: false, onEntered })
    const here = answerSeen(exchange)
    const lacked = saysMissing(here, error) ? null : records.lackedBy(call, there, sides)
    const isUnknownHere = isMade(there) && valueAt(error, here.body, '$code') === 'cursor_unknown'
    if (there.status === 0 || isAsScripted(played.outcome, here, hasScript)) {
      // whether a request took effect whose response was lost is unknown
      sandbox.restore(before)
    } else if (lacked !== null || isUnknownHere) {
      sandbox.restore(before)
      const message = lacked === null ? SAYS.other_cursor() : SAYS.has_no(there.status, lacked)
      add([{ steps: [], message }], false)
    } else {
      allowMore(exchange, { call, there: there.body, here: here.body }, records, sides)
      const [of, own] = [there, here].map(({ body }) => fieldOf(body, 'id'))
      if (records.isMade(of) && isMade(here)) pairs.match(String(of), String(own))
      add(wrong.length > 0 ? wrong : answerDifferences(there, here, sides), true)
      add(others, false)
      // the state goes on as that of the service; what a list left out is there again
      if (isMade(there) !== isMade(here) || call.method === 'GET') sandbox.restore(before)
    }
  }
  return { deviations, pairs }
}

/** Whether the service responded, or lost its response, as only the script does here. */
function isAsScripted(
  { step, problems, answer }: StepOutcome,
  here: StepAnswer,
  hasScript: boolean
): boolean {
  if (problems.length > 0) return false
  const { fault, status } = step.expect ?? {}
  if (fault !== undefined) return true
  const isOfScript = hasScript && status !== undefined && !wantsStatus(status, here.status)
  return isOfScript && formProblem(answer) === null
}

/** A request with the emulator's ids in place of the service's. */
function translated(call: StepCall, { here }: IdPairs): StepCall {
  const mapped = (text: string) => text.replace(/(?<=[=/])[\w-]+(?=[&/]|$)/g, here)
  const { path, query, form } = call
  return { ...call, path: mapped(path), query: mapped(query), form: form && mapped(form) }
}

/**
 * Writes into a response of the emulator what it cannot know of lists in which the service may have
 * records that it has not shown: that more follow a full page, and what a search left out. What
 * belongs to a record of this run has no others.
 */
function allowMore(
  { operation, settings, outcome }: Exchange,
  { call, there, here }: { call: StepCall; there: Json; here: Json },
  records: ServiceRecords,
  { list, pairs }: Sides
): void {
  if (operation === null || outcome.refusal !== null) return
  const { family, kind } = operationOf(operation)
  const isList = kind === 'list'
  const recordsOf = (body: Json) => (isList ? membersOf(body, list) : [body])
  const [shown, own] = [recordsOf(there), recordsOf(here)]
  const putMore = (from: unknown, to: unknown) =>
    valueAt(list, from, '$has_more') === true && put(list, to, '$has_more', true)
  for (const [nth, charge] of family === 'transactions' ? shown.entries() : []) {
    const [from, to] = [charge, own[nth]].map(one => fieldOf(one, 'refunds'))
    const isFull = membersOf(from, list).length === EMBEDDED
    if (isFull && !records.isMade(fieldOf(charge, 'id'))) putMore(from, to)
  }
  if (!isList || namedIn(call).some(({ id }) => records.isMade(id))) return
  const { 'pagination.default_limit': usual, 'pagination.max_limit': most } = settings
  const query = new URLSearchParams(call.query)
  const isSearch = (query.get('search_query') ?? '') !== ''
  const isFull = shown.length === Math.min(Number(query.get('limit') ?? usual), most)
  if (isSearch || isFull) putMore(there, here)
  if (!isSearch) return
  const hasMore = valueAt(list, there, '$has_more') === true
  if (hasMore) put(list, here, '$members', own.slice(0, shown.length))
  for (const place of ['$first_id', '$last_id']) {
    const id = valueAt(list, there, place)
    if (typeof id === 'string' && (hasMore || !records.isShown(id)))
      put(list, here, place, pairs.here(id))
  }
}

/** Puts a value in the place of a placeholder; nothing where a template has none. */
function put(list: Template, body: unknown, placeholder: string, value: unknown): void {
  const steps = stepsTo(list, placeholder) ?? []
  const owner = partAt(body, steps.slice(0, -1))
  if (isObject(owner)) owner[steps.at(-1) as string] = value
}
