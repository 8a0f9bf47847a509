/** What a comparison with a running service found, as points of a check: by rule, by assumption, by unknown field, and other data. */
import { pathOf, type Step } from '../../core/places.js'
import { maskedThroughout } from '../../core/redaction.js'
import { ASSUMPTIONS } from '../../reference/assumptions.js'
import { RESOURCE_NAMES } from '../../reference/operations.js'
import { RULES, type RuleId } from '../../reference/rules.js'
import type { PlacedPoint, PlacedProblem } from '../../reports/points.js'
import type { Json } from '../../scenario/steps.js'
import type { Cause } from './causes.js'
import type { FieldDifference } from './compare.js'
import type { Deviation } from './drift.js'

/** Differences of one group that are listed. */
const MOST_LISTED = 10
/** Characters of a value that are shown. */
const MOST_SHOWN = 200
/** Failures come first, then what is only worth a look. */
const ORDER: readonly Cause['by'][] = ['rule', 'setting', 'assumption', 'field', 'data', 'script']
const WARNED: readonly Cause['by'][] = ['field', 'data', 'script']

/** A point for each group of what differs: by rule and by assumption, then the warnings. */
export function driftPoints(deviations: readonly Deviation[]): PlacedPoint[] {
  const groups = new Map<string, PlacedPoint & { problems: PlacedProblem[] }>()
  for (const { played, cause, differences } of ORDER.flatMap(by => deviations.filter(({ cause }) => cause.by === by))) {
    const title = titleOf(cause, differences)
    // the value in the title is that of the first call
    const [name] = title.split('; a candidate') as [string]
    const group = groups.get(name) ?? { title, problems: [], ms: 0, ...(WARNED.includes(cause.by) && { isWarning: true }) }
    const why = cause.by === 'data' && cause.lacked !== undefined ? `; the service has no ${cause.lacked}` : ''
    const found = cause.by === 'script' ? [played.label] : differences.map(difference => `${played.label}: ${shownDifference(difference)}${why}`)
    group.problems.push(...found.map(message => ({ at: played.place, message })))
    groups.set(name, group)
  }
  return [...groups.values()].map(group => ({ ...group, problems: listed(group.problems) }))
}

function titleOf(cause: Cause, differences: readonly FieldDifference[]): string {
  switch (cause.by) {
    case 'rule': {
      const [rule, ...others] = cause.rules as [RuleId, ...RuleId[]]
      return others.length === 0 ? `differs by rule ${rule}: ${RULES[rule].text}` : `differs by a rule, one of ${cause.rules.join(', ')}`
    }
    case 'setting': {
      // as a settings block has them: `statuses.refund_refused: 422`
      const shown = Object.entries(cause.settings).map(([key, value]) => `${key}: ${JSON.stringify(value).replace(/^"(\w+)"$/, '$1')}`)
      return `differs by assumption ${cause.assumption} ${shown.join(', ')}`
    }
    case 'assumption':
      return `differs by assumption ${cause.assumption} (${ASSUMPTIONS[cause.assumption].topic}); no setting makes the emulator answer so`
    case 'field': {
      const of = `unknown field ${cause.field} of a ${RESOURCE_NAMES[cause.family]}`
      const [{ steps, there }] = differences as [FieldDifference]
      return cause.isTop
        ? `${of}; a candidate for extra: { ${cause.field}: ${shownValue(steps, there)} }`
        : `${of}; extra holds fields of the record itself, none within another`
    }
    case 'data':
      return 'other data at the service'
    case 'script':
      return 'only the script of the scenario answers as expected; a service has no script'
  }
}

function listed(problems: readonly PlacedProblem[]): PlacedProblem[] {
  const more = problems.length - MOST_LISTED
  const [{ at }] = problems as [PlacedProblem]
  return [...problems.slice(0, MOST_LISTED), ...(more > 0 ? [{ at, message: `and ${more} more` }] : [])]
}

function shownDifference({ kind, steps, here, there }: FieldDifference): string {
  const path = pathOf(steps) || 'body'
  const what = kind === 'prefix' || kind === 'length' ? `the ${kind} of ${path}` : path
  const by = kind === 'unknown' ? 'not' : shownValue(steps, here)
  const of = kind === 'missing' ? 'not there' : shownValue(steps, there)
  return `${what}: ${kind === 'record' ? 'the record ' : ''}${by}${kind === 'members' ? ' members' : ''} here, ${of} at the service`
}

/** A value at its place, without secrets; what a service answers may be of any depth. */
function shownValue(steps: readonly Step[], value: Json | undefined): string {
  try {
    const whole = steps.reduceRight<unknown>((part, step) => ({ [step]: part }), value)
    const shown = steps.reduce<unknown>((part, step) => (part as Record<Step, unknown>)[step], maskedThroughout(whole))
    const text = JSON.stringify(shown)
    return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
  } catch {
    return 'data that cannot be shown'
  }
}
