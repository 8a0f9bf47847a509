/** Script entries, which change how the emulator responds to some requests. */
import { didYouMean } from '../../core/nearest.js'
import type { Step } from '../../core/places.js'
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
import { type Edit, editOf } from '../records/edits.js'
import { checkNames, namedByChange, namedByMatch, type Trial } from '../records/named-records.js'
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
    ...periodOf(data),
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

function periodOf({ from, until, for: lasting }: EntryData): Pick<Entry, 'between' | 'lasts'> {
  const boundIn = (text: string | undefined, otherwise: number) =>
    text === undefined ? otherwise : instantIn(text)
  const between = { from: boundIn(from, -FOREVER), until: boundIn(until, FOREVER) }
  const lasts = lasting === undefined ? FOREVER : millisecondsOf(lasting)
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
  const min = msOf(delay.min, 'min')
  const max = msOf(delay.max, 'max')
  return draw => (min === max ? min : min + Math.floor(draw() * (max - min + 1)))
}

function checkRespond(
  { fault }: EntryData,
  respond: Respond,
  operations: readonly OperationId[],
  report: Report
): void {
  const { status, headers = {}, body, patch, error } = respond
  if (body !== undefined && error !== undefined) report([], say('not_together', 'body', ['error']))
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
  const placed: PlacedEntry[] = []
  const entries = script.map((data, index) => ({ data, report: within(report, 'script', index) }))
  let patterns = 0
  for (const [index, { data, report }] of entries.entries()) {
    const warnOf = within(warn, 'script', index)
    const { length } = problems
    const entry = await compileEntry(data, report, patterns)
    patterns += patternsIn(data.match)
    checkNames(namedByMatch(data), trial, ({ canBeMade }) => (canBeMade ? warnOf : report))
    checkNames(namedByChange(data.change ?? {}), trial, () => warnOf)
    if (problems.length > length) continue
    const { document, steps } = sourceOf(['script', index])
    const list = JSON.stringify([document.name, steps.slice(0, -1)])
    placed.push({ entry, list, index: Number(steps.at(-1)), report })
    await pause()
  }
  checkShadowed(placed)
  if (!isOpen) checkWaiting(entries)
  return placed.map(({ entry }) => entry)
}

/** An `after` must name an entry. */
export function checkWaiting(entries: readonly { data: EntryData; report: Report }[]): void {
  const names = entries.flatMap(({ data }) => data.name ?? [])
  for (const { data, report } of entries) {
    const name = nameIn(data.after)
    if (name !== undefined && !names.includes(name))
      report(['after'], say('unknown_entry', name, didYouMean(name, names)))
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
