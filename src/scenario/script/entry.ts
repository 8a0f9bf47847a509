/** Script entries, which change how the emulator responds to some requests. */
import { didYouMean } from '../../core/nearest.js'
import type { Step } from '../../core/places.js'
import { isObject } from '../../core/quick-check.js'
import { maskedThroughout, withoutSecrets } from '../../core/redaction.js'
import { say as check } from '../../core/sentences.js'
import {
  isChange,
  type OperationId,
  operationOf,
  operationsNamed
} from '../../reference/operations.js'
import { pause } from '../../work/slices.js'
import { type Report, within } from '../documents.js'
import { type Calls, countsOf } from '../match/counts.js'
import {
  checkHeaders,
  compileMatch,
  type Matcher,
  operationsOn,
  shownOn
} from '../match/matching.js'
import { admitPatterns, patternsIn } from '../match/patterns.js'
import { checkEdit, type Edit, editOf, type Trial } from '../records/edits.js'
import { missingOf, recordsNamedBy } from '../records/named-records.js'
import { say } from '../sentences.js'
import { instantIn, millisecondsOf } from '../shape/checked.js'
import type { EntryData, Respond } from '../shape/entry.js'
import type { Parts } from '../shape/sources.js'
import { digestOf, withDigests } from './digests.js'

export type Entry = {
  data: EntryData
  operations: ReadonlySet<OperationId>
  matches: Matcher
  calls: Calls
  /** From 0 to 1. */
  chance: number
  /** Instants of the sandbox's clock; `until` is excluded. */
  between: { from: number; until: number }
  /** Milliseconds of the sandbox's clock, from the first request on. */
  lasts: number
  /** In milliseconds; `draw` gives a fraction. */
  delay: (draw: () => number) => number
  /** Its name or a digest: its draws depend on this and not on other entries. */
  label: string
  edit: Edit | null
  /** Age of the records that it shows, in milliseconds. */
  stale: number | null
}
export const FOREVER = Number.POSITIVE_INFINITY
/** Operations that are disabled before scripts are asked (LOC-4, ACC-5). */
const DISABLED: readonly OperationId[] = ['deleteLocation', 'deleteAccount']

/** `patterns`: how many the entries before have. */
export async function compileEntry(
  source: EntryData,
  report: Report,
  patterns = 0
): Promise<Entry> {
  const isAdmitted = await admitPatterns(source.match, patterns, within(report, 'match'))
  const data = { ...source }
  if (source.name !== undefined) data.name = withoutSecrets(source.name)
  if (source.after !== undefined) data.after = maskedThroughout(source.after)
  if (source.match) data.match = withDigests(source.match)
  const { calls = '1+', chance = 1, delay = '0s', change, stale, respond, match } = data
  const operations = operationsOf(data, report)
  checkActions(data, report)
  if (respond) checkRespond(data, respond, operations, within(report, 'respond'))
  return {
    data,
    operations: new Set(operations),
    matches: compileMatch(operations, isAdmitted ? match : {}, report, { onlyRight: true }),
    calls: countsOf(`${calls}`, 1, within(report, 'calls')),
    chance,
    ...periodOf(data, report),
    delay: delayOf(delay, within(report, 'delay')),
    label: data.name ?? digestOf(JSON.stringify(data)),
    edit: change === undefined ? null : editOf(change, report),
    stale: stale === undefined ? null : millisecondsOf(stale)
  }
}

function operationsOf({ on, stale }: EntryData, report: Report): OperationId[] {
  const operations = operationsOn(on, report)
  const isEnabled = (operation: OperationId) => !DISABLED.includes(operation)
  const isRead = (operation: OperationId) =>
    stale === undefined || !isChange(operationOf(operation))
  for (const name of [on].flat()) {
    const matching = operationsNamed(name)
    if (matching.length === 0) continue
    if (!matching.some(isEnabled)) report(['on'], say('disabled', name))
    else if (!matching.some(isRead)) report(['stale'], say('stale_change', name))
  }
  return operations.filter(operation => isEnabled(operation) && isRead(operation))
}

function periodOf(
  { from, until, for: lasting }: EntryData,
  report: Report
): Pick<Entry, 'between' | 'lasts'> {
  const boundIn = (text: string | undefined, otherwise: number) =>
    text === undefined ? otherwise : instantIn(text)
  const between = { from: boundIn(from, -FOREVER), until: boundIn(until, FOREVER) }
  const lasts = lasting === undefined ? FOREVER : millisecondsOf(lasting)
  if (between.from >= between.until)
    report(['until'], say('no_time', `until ${until} is not after from ${from}`))
  if (lasts === 0) report(['for'], say('no_time', `for ${lasting} ends as soon as it begins`))
  return { between, lasts }
}

function checkActions(
  { calls, chance, for: lasting, per, delay, respond, change, stale, fault, hold, when }: EntryData,
  report: Report
): void {
  if ([respond, change, stale, delay, fault, hold].every(action => action === undefined))
    report([], say('no_action'))
  if (stale && ((respond && !respond.patch) || (fault && when !== 'after')))
    report(['stale'], say('not_together', 'stale', [respond ? 'respond' : 'fault']))
  if (per !== undefined && (calls ?? chance ?? lasting) === undefined)
    report(['per'], say('needs', 'per', 'calls, chance or for'))
  if (hold && (hold.until === undefined) === (hold.gate === undefined))
    report(['hold'], say('not_exactly_one', ['until', 'gate'], hold.gate ? ['until', 'gate'] : []))
  if (when === 'after' && !fault && !change && !respond)
    report(['when'], say('needs', 'when: after', 'fault, change or respond'))
}

export const nameIn = (after: EntryData['after']): string | undefined =>
  typeof after === 'object' ? after.ended : after
const MAX_DELAY = 600_000

function delayOf(delay: NonNullable<EntryData['delay']>, report: Report): Entry['delay'] {
  const msOf = (text: string, ...steps: Step[]) => {
    const ms = millisecondsOf(text)
    if (ms > MAX_DELAY) report(steps, say('delay_too_long', text))
    return ms
  }
  if (typeof delay === 'string') {
    const ms = msOf(delay)
    return () => ms
  }
  const [min, max] = [msOf(delay.min, 'min'), msOf(delay.max, 'max')]
  if (min > max) report([], say('reversed', `min ${delay.min}`, `max ${delay.max}`))
  return draw => (min === max ? min : min + Math.floor(draw() * (max - min + 1)))
}

function checkRespond(
  { fault }: EntryData,
  respond: Respond,
  operations: readonly OperationId[],
  report: Report
): void {
  const { headers = {}, body, patch, error, retry_after } = respond
  const { status = error === undefined ? 200 : 400 } = respond
  const isGiven = Object.keys(headers).some(name => name.toLowerCase() === 'retry-after')
  if (retry_after !== undefined && isGiven) report(['retry_after'], say('header_twice'))
  if (body !== undefined && error !== undefined) report([], say('not_together', 'body', ['error']))
  if (error !== undefined && status < 400) report(['status'], say('not_an_error', status))
  if ((status === 204 || status === 304) && [body, patch, error].some(part => part !== undefined))
    report(['status'], say('no_body', status))
  checkHeaders(headers, 'response', within(report, 'headers'))
  if (!patch) return
  if (body !== undefined || error !== undefined)
    report(['patch'], say('not_together', 'patch', ['body', 'error']))
  if (fault) report(['patch'], say('not_together', 'patch', ['fault']))
  if (JSON.stringify(respond) === '{"patch":{}}') report(['patch'], check('empty'))
  if (operations.length > 0 && operations.every(id => operationOf(id).kind === 'delete'))
    report(['patch'], say('no_body', 204))
}

/** `list` says where its list is written. */
type PlacedEntry = { entry: Entry; list: string; index: number; report: Report }

export async function compileScript(
  { data: { script = [] }, problems, report, warn, sourceOf, isOpen }: Parts,
  trial: Trial
): Promise<Entry[]> {
  const maxHeld = trial.generation.settings['limits.waiting']
  const placed: PlacedEntry[] = []
  const entries = script.map((data, index) => ({ data, report: within(report, 'script', index) }))
  let patterns = 0
  for (const [index, { data, report }] of entries.entries()) {
    const warnOf = within(warn, 'script', index)
    const { length } = problems
    const entry = await compileEntry(data, report, patterns)
    const isRight = problems.length === length
    patterns += patternsIn(data.match)
    const { until = 0 } = data.hold ?? {}
    if (until > maxHeld) warnOf(['hold', 'until'], say('hold_too_many', maxHeld, until))
    for (const { steps, problem, canBeMade } of missingOf(recordsNamedBy(data), trial))
      (canBeMade ? warnOf : report)(steps, problem)
    if (!isRight) continue
    if (entry.edit !== null) checkEdit(data, entry.edit, trial, report, warnOf)
    const { document, steps } = sourceOf(['script', index])
    const list = JSON.stringify([document.name, steps.slice(0, -1)])
    placed.push({ entry, list, index: Number(steps.at(-1)), report })
    await pause()
  }
  checkShadowed(placed)
  if (!isOpen) checkWaiting(entries)
  return placed.map(({ entry }) => entry)
}

const canEnd = ({ until, per, calls = '+', for: lasting }: EntryData) =>
  until !== undefined || (per === undefined && (lasting !== undefined || !/[+e]/.test(`${calls}`)))

/** Refuses `after` with an unknown entry, the entry itself, or an endless one. */
export function checkWaiting(entries: readonly { data: EntryData; report: Report }[]): void {
  // the first of a name counts
  const byName = new Map(
    entries.toReversed().flatMap(({ data }) => (data.name === undefined ? [] : [[data.name, data]]))
  )
  const awaitedBy = ({ after }: EntryData) => byName.get(nameIn(after) ?? '')
  // a way with more steps than there are entries goes round in a circle
  const isInCircle = (data: EntryData): boolean => {
    let current: EntryData | undefined = data
    for (let steps = entries.length; steps > 0 && current !== undefined; steps--)
      current = awaitedBy(current)
    return current !== undefined
  }
  for (const { data, report } of entries) {
    const name = nameIn(data.after)
    if (name === undefined) continue
    const awaited = awaitedBy(data)
    if (awaited === undefined)
      report(['after'], say('unknown_entry', name, didYouMean(name, [...byName.keys()])))
    else if (isInCircle(data)) report(['after'], say('waits_for_itself'))
    else if (isObject(data.after) && !canEnd(awaited))
      report(['after', 'ended'], say('never_ends', name))
  }
}

function checkShadowed(entries: readonly PlacedEntry[]): void {
  const unconditional: PlacedEntry[] = []
  for (const placed of entries) {
    const { entry, list, report } = placed
    const first = unconditional.find(
      earlier =>
        earlier.list === list &&
        [...entry.operations].every(operation => earlier.entry.operations.has(operation))
    )
    if (first !== undefined) report([], say('shadowed', labelOf(first), shownOn(entry.data.on)))
    else if (isUnconditional(entry)) unconditional.push(placed)
  }
}

const labelOf = ({ entry: { data }, index }: PlacedEntry) =>
  data.name === undefined ? `entry ${index + 1}` : `the entry "${data.name}"`

const isUnconditional = ({ data, calls, chance, between, lasts, matches }: Entry) =>
  (data.per ?? data.after) === undefined &&
  matches.length === 0 &&
  calls.from <= 1 &&
  chance === 1 &&
  between.from === -FOREVER &&
  [calls.to, between.until, lasts].every(end => end === FOREVER)
