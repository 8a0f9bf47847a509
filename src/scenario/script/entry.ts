/** Script entries, which change how the emulator responds to some requests. */
import { maskedThroughout, withoutSecrets } from '../../core/redaction.js'
import { say as check } from '../../core/sentences.js'
import {
  isChange,
  type OperationId,
  operationOf,
  operationsNamed
} from '../../reference/operations.js'
import { pause } from '../../work/slices.js'
import { type DocumentPart, type Report, within } from '../documents.js'
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
import { checkMatch, type Trial } from '../records/named-records.js'
import { say } from '../sentences.js'
import { instantIn, millisecondsOf } from '../shape/checked.js'
import type { EntryData, Respond } from '../shape/entry.js'
import type { Used } from '../shape/sources.js'
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
  const { from, until, for: lasting } = data
  const operations = operationsOf(data, report)
  checkActions(data, report)
  if (respond) checkRespond(data, respond, operations, within(report, 'respond'))
  return {
    data,
    operations: new Set(operations),
    matches: compileMatch(operations, isAdmitted ? match : {}, { report, onlyRight: true }),
    calls: countsOf(`${calls}`, 1, within(report, 'calls')),
    chance,
    between: { from: from ? instantIn(from) : -FOREVER, until: until ? instantIn(until) : FOREVER },
    lasts: lasting ? millisecondsOf(lasting) : FOREVER,
    delay: delayOf(delay, within(report, 'delay')),
    label: data.name ?? digestOf(JSON.stringify(data)),
    edit: change === undefined ? null : editOf(change, report),
    stale: stale === undefined ? null : millisecondsOf(stale)
  }
}

function operationsOf({ on, stale }: EntryData, report: Report): OperationId[] {
  const canApply = (operation: OperationId) =>
    stale === undefined || !isChange(operationOf(operation))
  const isEnabled = (operation: OperationId) => !DISABLED.includes(operation)
  for (const name of [on].flat()) {
    const enabled = operationsNamed(name).filter(isEnabled)
    if (operationsNamed(name).length === 0) continue
    if (enabled.length === 0) report(['on'], say('disabled', name))
    else if (!enabled.some(canApply)) report(['stale'], say('stale_change', name))
  }
  return operationsOn(on, report).filter(id => isEnabled(id) && canApply(id))
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
  const msOf = (text: string, note: Report) => {
    const ms = millisecondsOf(text)
    if (ms > MAX_DELAY) note([], say('delay_too_long', text))
    return ms
  }
  if (typeof delay === 'string') {
    const ms = msOf(delay, report)
    return () => ms
  }
  const min = msOf(delay.min, within(report, 'min'))
  const max = msOf(delay.max, within(report, 'max'))
  return draw => (min === max ? min : min + Math.floor(draw() * (max - min + 1)))
}

function checkRespond(
  { fault }: EntryData,
  respond: Respond,
  operations: readonly OperationId[],
  report: Report
): void {
  const { status, headers = {}, body, patch, error } = respond
  const hasBody = [body, patch, error].some(part => part !== undefined)
  if (body !== undefined && error !== undefined) report([], say('not_together', 'body', ['error']))
  if ((status === 204 || status === 304) && hasBody) report(['status'], say('no_body', status))
  checkHeaders(headers, 'response', within(report, 'headers'))
  if (!patch) return
  const note = within(report, 'patch')
  if (body !== undefined || error !== undefined)
    note([], say('not_together', 'patch', ['body', 'error']))
  if (fault) note([], say('not_together', 'patch', ['fault']))
  if (JSON.stringify(respond) === '{"patch":{}}') note([], check('empty'))
  if (operations.length > 0 && operations.every(id => operationOf(id).kind === 'delete'))
    note([], say('no_body', 204))
}

export async function compileScript(
  { data: { script = [] }, problems, report, warn, sourceOf }: Used,
  trial: Trial
): Promise<Entry[]> {
  const entries: Entry[] = []
  const unconditional: Unconditional[] = []
  let patterns = 0
  for (const [index, data] of script.entries()) {
    const note = within(report, 'script', index)
    checkWaiting(data, script, note)
    const { length } = problems
    const entry = await compileEntry(data, note, patterns)
    patterns += patternsIn(data.match)
    checkMatch(data, trial, within(warn, 'script', index), note)
    if (problems.length > length) continue
    checkShadowed(entry, sourceOf(['script', index]), unconditional, note)
    entries.push(entry)
    await pause()
  }
  return entries
}

/** An `after` must name an entry. */
export function checkWaiting(
  { after }: EntryData,
  entries: readonly EntryData[],
  report: Report
): void {
  const name = nameIn(after)
  if (name === undefined || entries.some(entry => entry.name === name)) return
  const names = entries.flatMap(entry => entry.name ?? [])
  report(['after'], say('unknown_entry', name, names))
}

/** `list` says in which list it is written. */
type Unconditional = { entry: Entry; list: string; label: string }

/** An entry never applies behind one of its list that always applies. */
function checkShadowed(
  entry: Entry,
  { document, steps }: DocumentPart,
  unconditional: Unconditional[],
  report: Report
): void {
  const { name, on } = entry.data
  const list = JSON.stringify([document.name, steps.slice(0, -1)])
  const label = name === undefined ? `entry ${Number(steps.at(-1)) + 1}` : `the entry "${name}"`
  const isBehind = (earlier: Unconditional) =>
    earlier.list === list && [...entry.operations].every(id => earlier.entry.operations.has(id))
  const first = unconditional.find(isBehind)
  if (first !== undefined) report([], say('shadowed', first.label, shownOn(on)))
  else if (isUnconditional(entry)) unconditional.push({ entry, list, label })
}

const isUnconditional = ({ data, calls, chance, between, lasts, matches }: Entry) =>
  (data.per ?? data.after) === undefined &&
  matches.length === 0 &&
  calls.from <= 1 &&
  chance === 1 &&
  between.from === -FOREVER &&
  [calls.to, between.until, lasts].every(end => end === FOREVER)
