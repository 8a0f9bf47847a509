/** What a comparison with a running service found, as points of a check: what is wrong, by rule and by assumption, what settings explain, and other data. */
import { partAt, pathOf, type Step } from '../../core/places.js'
import { maskedThroughout } from '../../core/redaction.js'
import { ASSUMPTIONS, type AssumptionId } from '../../reference/assumptions.js'
import { RULES, type RuleId } from '../../reference/rules.js'
import type { PlacedPoint, PlacedProblem } from '../../reports/points.js'
import type { Json } from '../../scenario/steps.js'
import type { FieldDifference } from './compare.js'
import type { Cause, Deviation } from './round.js'

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
  for (const { played, cause, differences } of ORDER.flatMap(by => deviations.filter(({ cause }) => cause.by === by))) {
    const title = titleOf(cause)
    const group = groups.get(title) ?? { title, problems: [], ms: 0, ...(WARNED.includes(cause.by) && { isWarning: true }) }
    const problems =
      differences.length === 0 || isShape(cause) ? [detailOf(cause)] : differences.map(difference => `: ${shownDifference(difference)}${detailOf(cause)}`)
    group.problems.push(...problems.map(problem => ({ at: played.place, message: `${played.label}${problem}` })))
    groups.set(title, group)
  }
  return [...groups.values()].map(group => ({ ...group, problems: listed(group.problems) }))
}

/** Whether a template explains what differs, which says it all. */
const isShape = (cause: Cause) => cause.by === 'setting' && Object.keys(cause.settings).some(key => key.startsWith('shapes.'))

/** What is said of a call besides what differs in it. */
function detailOf(cause: Cause): string {
  if (cause.by === 'wrong' && cause.isPaging) return '; pagination.cursors gives the cursors other names'
  if (cause.by === 'contradiction') return ` needs ${shownSettings({ [cause.key]: cause.value })}`
  return cause.by === 'data' && cause.lacked !== undefined ? `; the service has no ${cause.lacked}` : ''
}

/** As a settings block has them: `statuses.refund_refused: 422`. */
const shownSettings = (settings: object) =>
  Object.entries(settings)
    .map(([key, value]) => `${key}: ${JSON.stringify(value).replace(/^"(\w+)"$/, '$1')}`)
    .join(', ')

/** What to say of a setting that calls need different values of. */
export const contradiction = (key: string) => `contradiction: no single value of ${key} fits every call`

function titleOf(cause: Cause): string {
  switch (cause.by) {
    case 'wrong': {
      if (cause.about === null) return 'wrong: neither a setting nor data from before the run explains it'
      if (cause.about in RULES) return `differs by rule ${cause.about}: ${RULES[cause.about as RuleId].text}`
      return `differs by assumption ${cause.about} (${ASSUMPTIONS[cause.about as AssumptionId].topic}); no setting makes the emulator answer so`
    }
    case 'contradiction':
      return contradiction(cause.key)
    case 'setting':
      return `differs by assumption ${cause.assumption} ${shownSettings(cause.settings)}`
    case 'data':
      return 'other data at the service'
    case 'script':
      return 'only the script of the scenario answers as expected; a service has no script'
  }
}

function listed(problems: readonly PlacedProblem[]): PlacedProblem[] {
  const more = problems.length - MAX_LISTED
  const [{ at }] = problems as [PlacedProblem]
  return [...problems.slice(0, MAX_LISTED), ...(more > 0 ? [{ at, message: `and ${more} more` }] : [])]
}

function shownDifference({ kind, steps, here, there, says }: FieldDifference): string {
  const path = pathOf(steps) || 'body'
  if (kind === 'form') return `${steps.length === 0 ? '' : `${path}: `}${says}${there === null ? '' : `; the service sent ${shownValue(steps, there)}`}`
  if (kind === 'record' && here === undefined) return `${path}: only the service has the record ${shownValue(steps, there)}`
  const what = kind === 'prefix' || kind === 'length' ? `the ${kind} of ${path}` : path
  const by = kind === 'unknown' ? 'not' : shownValue(steps, here)
  const of = kind === 'missing' ? 'not there' : shownValue(steps, there)
  return `${what}: ${kind === 'record' ? 'the record ' : ''}${by}${kind === 'members' ? ' members' : ''} here, ${of} at the service`
}

/** A value at its place, without secrets; what a service answers may be of any depth. */
function shownValue(steps: readonly Step[], value: Json | undefined): string {
  try {
    const whole = steps.reduceRight<unknown>((part, step) => ({ [step]: part }), value)
    const shown = partAt(maskedThroughout(whole), steps)
    const text = JSON.stringify(shown)
    return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
  } catch {
    return 'data that cannot be shown'
  }
}
