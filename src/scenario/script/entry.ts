/** Script entries, which change how the emulator responds to some requests. */
import { withoutSecrets } from '../../core/redaction.js'
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
import type { EntryData } from '../shape/entry.js'
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
const FOREVER = Number.POSITIVE_INFINITY
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
  if (source.after !== undefined) data.after = withoutSecrets(source.after)
  if (source.match) data.match = withDigests(source.match)
  const { calls = '1+', chance = 1, change, stale, match, from, until } = data
  const operations = operationsOf(data, report)
  checkActions(data, operations, report)
  return {
    data,
    operations: new Set(operations),
    matches: compileMatch(operations, isAdmitted ? match : {}, { report, onlyRight: true }),
    calls: countsOf(`${calls}`, true, within(report, 'calls')),
    chance,
    between: { from: from ? instantIn(from) : -FOREVER, until: until ? instantIn(until) : FOREVER },
    lasts: data.for ? millisecondsOf(data.for) : FOREVER,
    delay: delayOf(data, report),
    label: data.name ?? digestOf(JSON.stringify(data)),
    edit: change === undefined ? null : editOf(change, report),
    stale: stale === undefined ? null : millisecondsOf(stale)
  }
}

function operationsOf({ on, stale }: EntryData, report: Report): OperationId[] {
  const isEnabled = (operation: OperationId) => !DISABLED.includes(operation)
  const canApply = (operation: OperationId) =>
    isEnabled(operation) && (stale === undefined || !isChange(operationOf(operation)))
  for (const name of [on].flat()) {
    const operations = operationsNamed(name)
    if (operations.length === 0 || operations.some(canApply)) continue
    if (operations.some(isEnabled)) report(['stale'], say('stale_change', name))
    else report(['on'], say('disabled', name))
  }
  return operationsOn(on, report).filter(canApply)
}

/** What depends on more than the names of one object. */
function checkActions(
  { respond, change, fault, stale, when }: EntryData,
  operations: readonly OperationId[],
  report: Report
): void {
  const { status, headers = {}, patch } = respond ?? {}
  const prevents = { respond: respond && !patch, fault: fault && when !== 'after' }
  for (const [name, isSo] of Object.entries(prevents))
    if (stale && isSo) report(['stale'], check('not_together', ['stale', name]))
  if (when === 'after' && !fault && !change && !respond)
    report(['when'], check('needs', ['fault', 'change', 'respond'], 'when: after'))
  checkHeaders(headers, 'response', within(report, 'respond', 'headers'))
  if (
    (status === 204 || status === 304) &&
    (respond?.body ?? respond?.error ?? patch) !== undefined
  )
    report(['respond', 'status'], say('no_section', `a response with status ${status}`, 'body'))
  if (!patch) return
  const note = within(report, 'respond', 'patch')
  if (fault) note([], check('not_together', ['patch', 'fault']))
  if (JSON.stringify(respond) === '{"patch":{}}') note([], check('empty'))
  if (operations.length > 0 && operations.every(id => operationOf(id).kind === 'delete'))
    note([], say('no_section', 'a response with status 204', 'body'))
}

const MAX_DELAY = 600_000

function delayOf({ delay = '0s' }: EntryData, report: Report): Entry['delay'] {
  const { min, max } = typeof delay === 'string' ? { min: delay, max: delay } : delay
  const [least, most] = [millisecondsOf(min), millisecondsOf(max)]
  if (most > MAX_DELAY)
    report(delay === max ? ['delay'] : ['delay', 'max'], check('too_large', '10m', max))
  return draw => (least === most ? most : least + Math.floor(draw() * (most - least + 1)))
}

type ScriptSource = Pick<Used, 'problems' | 'report' | 'warn' | 'sourceOf'> & {
  data: Pick<Used['data'], 'script'>
}

export async function compileScript(
  { data: { script = [] }, problems, report, warn, sourceOf }: ScriptSource,
  trial: Trial
): Promise<Entry[]> {
  const entries: Entry[] = []
  const unconditional: Unconditional[] = []
  let patterns = 0
  for (const [index, data] of script.entries()) {
    const note = within(report, 'script', index)
    if (!trial.isShared) checkWaiting(data, script, note)
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
  if (after === undefined || entries.some(({ name }) => name === after)) return
  const names = entries.flatMap(({ name }) => name ?? [])
  report(['after'], say('unknown_entry', after, names))
}

/** `list` says in which list it is written. */
type Unconditional = { operations: Entry['operations']; list: string; label: string }

/** An entry never applies behind one of its list that always applies. */
function checkShadowed(
  entry: Entry,
  { document, steps }: DocumentPart,
  unconditional: Unconditional[],
  report: Report
): void {
  const { operations, data } = entry
  const list = JSON.stringify([document.name, steps.slice(0, -1)])
  const first = unconditional.find(
    earlier => earlier.list === list && [...operations].every(id => earlier.operations.has(id))
  )
  const label = data.name ? `the entry "${data.name}"` : `entry ${Number(steps.at(-1)) + 1}`
  if (first !== undefined) report([], say('shadowed', first.label, shownOn(data.on)))
  else if (isUnconditional(entry)) unconditional.push({ operations, list, label })
}

const isUnconditional = ({ data, calls, chance, between, lasts, matches }: Entry) =>
  (data.per ?? data.after) === undefined &&
  matches.length === 0 &&
  calls.from <= 1 &&
  chance === 1 &&
  between.from === -FOREVER &&
  [calls.to, between.until, lasts].every(end => end === FOREVER)
