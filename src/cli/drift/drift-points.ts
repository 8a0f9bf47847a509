/**
 * What a comparison with a running service found, as points of a check: what is wrong, by rule and
 * by assumption, what settings explain, and other data.
 */
import { partAt, pathOf, type Step } from '../../core/places.js'
import { maskedThroughout } from '../../core/redaction.js'
import type { Said } from '../../core/sentences.js'
import type { AssumptionId } from '../../reference/assumptions.js'
import { RULES, type RuleId } from '../../reference/rules.js'
import type { PlacedPoint, PlacedProblem } from '../../reports/points.js'
import type { Json } from '../../scenario/steps.js'
import { SAYS, say } from '../sentences.js'
import type { FieldDifference } from './compare.js'
import type { Cause, Deviation } from './drift.js'

/** Differences of one group that are listed. */
const MAX_LISTED = 10
/** Characters of a value that are shown. */
const MAX_SHOWN = 200
/** Failures come first, then what is only worth a look. */
const ORDER: readonly Cause['by'][] = ['wrong', 'contradiction', 'setting', 'data', 'script']
const WARNED: readonly Cause['by'][] = ['data', 'script']

/** A point for each group of what differs. */
export function driftPoints(deviations: readonly Deviation[]): PlacedPoint[] {
  const groups = new Map<string, PlacedPoint & { problems: PlacedProblem[] }>()
  for (const { played, cause, differences } of ORDER.flatMap(by =>
    deviations.filter(({ cause }) => cause.by === by)
  )) {
    const { place: at, label } = played
    const title = titleOf(cause)
    const group = groups.get(title.message) ?? {
      ...title,
      problems: [],
      ...(WARNED.includes(cause.by) && { isWarning: true })
    }
    groups.set(title.message, group)
    // a template that explains what differs says it all
    const isShape =
      cause.by === 'setting' && Object.keys(cause.settings).some(key => key.startsWith('shapes.'))
    if (cause.by === 'contradiction')
      group.problems.push({ at, ...say('needs', label, { [cause.key]: cause.value }) })
    else if (differences.length === 0 || isShape)
      group.problems.push({ at, ...say('of_step', label, detailOf(cause)) })
    else
      for (const difference of differences)
        group.problems.push({
          at,
          ...say('of_step', label, `: ${shownDifference(difference)}${detailOf(cause)}`)
        })
  }
  return [...groups.values()].map(group => ({ ...group, problems: listed(group.problems) }))
}

/** What is said of a request besides what differs in it. */
function detailOf(cause: Cause): string {
  if (cause.by === 'wrong') return cause.isPaging ? SAYS.paging() : ''
  return cause.by === 'data' && cause.lacked !== undefined ? SAYS.has_no(cause.lacked) : ''
}

function titleOf(cause: Cause): Said {
  if (cause.by === 'contradiction') return say('contradiction', cause.key)
  if (cause.by === 'setting') return say('by_setting', cause.assumption, cause.settings)
  if (cause.by !== 'wrong') return say(cause.by === 'data' ? 'other_data' : 'only_script')
  if (cause.about === null) return say('unexplained')
  return cause.about in RULES
    ? say('by_rule', cause.about as RuleId)
    : say('by_assumption', cause.about as AssumptionId)
}

function listed(problems: readonly PlacedProblem[]): PlacedProblem[] {
  const more = problems.length - MAX_LISTED
  const [{ at }] = problems as [PlacedProblem]
  return [...problems.slice(0, MAX_LISTED), ...(more > 0 ? [{ at, ...say('more', more) }] : [])]
}

function shownDifference({ kind, steps, here, there, says }: FieldDifference): string {
  const path = pathOf(steps)
  const [by, of] = [here, there].map(value => shownValue(steps, value)) as [string, string]
  if (kind === 'form')
    return SAYS.form(path, (says as Said).message, path !== '' || there === null ? null : of)
  if (kind === 'record' && here === undefined) return SAYS.only_there(path || 'body', of)
  const what = kind === 'prefix' || kind === 'length' ? SAYS.part_of_id(kind, path) : path || 'body'
  const shown = { unknown: 'not', record: `the record ${by}`, members: `${by} items` } as Partial<
    Record<FieldDifference['kind'], string>
  >
  return SAYS.differs(what, shown[kind] ?? by, kind === 'missing' ? 'not there' : of)
}

/** A value at its place, without secrets; a service's response may be nested to any depth. */
function shownValue(steps: readonly Step[], value: Json | undefined): string {
  try {
    const whole = steps.reduceRight<unknown>((part, step) => ({ [step]: part }), value)
    const shown = partAt(maskedThroughout(whole), steps)
    const text = JSON.stringify(shown) ?? ''
    return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
  } catch {
    return SAYS.hidden()
  }
}
