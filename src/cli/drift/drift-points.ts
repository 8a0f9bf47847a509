/** What a comparison with a running service found, as points of a check: by rule, by assumption, by unknown field, and other data. */
import type { Step } from '../../core/places.js'
import { pathOf } from '../../core/places.js'
import { maskedThroughout } from '../../core/redaction.js'
import { ASSUMPTIONS } from '../../reference/assumptions.js'
import { RESOURCE_NAMES } from '../../reference/operations.js'
import { RULES, type RuleId } from '../../reference/rules.js'
import type { PlacedPoint, PlacedProblem } from '../../reports/points.js'
import type { Json } from '../../scenario/steps.js'
import type { Cause } from './causes.js'
import type { FieldDifference } from './compare.js'
import type { Caused, Deviation, Drift } from './drift.js'

/** Differences of one group that are listed. */
const MOST_LISTED = 10
/** Characters of a value that are shown. */
const MOST_SHOWN = 200

/** A point for each group: failures first, by rule and by assumption, then what is only worth a look. */
export function driftPoints({ explained, remaining, scripted }: Drift): PlacedPoint[] {
  const bySetting = grouped(explained, ({ assumption, settings }) => `differs by assumption ${assumption} ${shownSettings(settings)}`)
  const byCause = (by: Cause['by']) =>
    grouped(
      remaining.filter(({ cause }) => cause.by === by),
      titleOf
    )
  const warned = [...byCause('field'), ...byCause('data'), ...(scripted.length > 0 ? [SCRIPTED(scripted)] : [])]
  return [...byCause('rule'), ...bySetting, ...byCause('assumption'), ...warned.map(point => ({ ...point, isWarning: true }))]
}

const SCRIPTED = (scripted: Drift['scripted']): PlacedPoint => ({
  title: 'only the script of the scenario answers as expected; a service has no script',
  problems: listed(scripted.map(({ place, label }) => ({ at: place, message: label }))),
  ms: 0
})

/** `statuses.refund_refused: 422`, as a settings block has it. */
const shownSettings = (settings: object) =>
  Object.entries(settings)
    .map(([key, value]) => `${key}: ${JSON.stringify(value).replace(/^"(\w+)"$/, '$1')}`)
    .join(', ')

function titleOf({ cause, differences }: Caused): string {
  switch (cause.by) {
    case 'rule': {
      const [rule, ...others] = cause.rules as [RuleId, ...RuleId[]]
      return others.length === 0 ? `differs by rule ${rule}: ${RULES[rule].text}` : `differs by a rule, one of ${cause.rules.join(', ')}`
    }
    case 'assumption':
      return `differs by assumption ${cause.assumption} (${ASSUMPTIONS[cause.assumption].topic}); no setting makes the emulator answer so`
    case 'field': {
      const of = `unknown field ${cause.field} of a ${RESOURCE_NAMES[cause.family]}`
      const [difference] = differences as [FieldDifference]
      return cause.isTop
        ? `${of}; a candidate for extra: { ${cause.field}: ${shownValue(difference.steps, difference.there)} }`
        : `${of}; extra holds fields of the record itself, none within another`
    }
    case 'data':
      return 'other data at the service'
  }
}

/** A point for each title, in the order in which the titles come. */
function grouped<D extends Deviation & { cause?: Cause }>(deviations: readonly D[], titleFor: (deviation: D) => string): PlacedPoint[] {
  const groups = new Map<string, PlacedProblem[]>()
  for (const deviation of deviations) {
    // the value in the title is that of the first call
    const title = titleFor(deviation)
    const key = [...groups.keys()].find(known => known.split('; a candidate')[0] === title.split('; a candidate')[0]) ?? title
    const { played, differences, cause } = deviation
    const why = cause?.by === 'data' && cause.lacked !== undefined ? `; the service has no ${cause.lacked}` : ''
    groups.set(key, [
      ...(groups.get(key) ?? []),
      ...differences.map(difference => ({ at: played.place, message: `${played.label}: ${shownDifference(difference)}${why}` }))
    ])
  }
  return [...groups].map(([title, problems]) => ({ title, problems: listed(problems), ms: 0 }))
}

function listed(problems: readonly PlacedProblem[]): PlacedProblem[] {
  const more = problems.length - MOST_LISTED
  const [first] = problems as [PlacedProblem]
  return more > 0 ? [...problems.slice(0, MOST_LISTED), { at: first.at, message: `and ${more} more` }] : [...problems]
}

function shownDifference({ kind, steps, here, there }: FieldDifference): string {
  const path = pathOf(steps) || 'body'
  const [by, of] = [shownValue(steps, here), shownValue(steps, there)]
  if (kind === 'missing') return `${path}: ${by} here, not there at the service`
  if (kind === 'unknown') return `${path}: not here, ${of} at the service`
  if (kind === 'members') return `${path}: ${by} members here, ${of} at the service`
  if (kind === 'record') return `${path}: the record ${by} here, ${of} at the service`
  if (kind === 'prefix' || kind === 'length') return `the ${kind} of ${path}: ${by} here, ${of} at the service`
  return `${path}: ${by} here, ${of} at the service`
}

/** A value at its place, without secrets; what a service answers may be of any depth. */
function shownValue(steps: readonly Step[], value: Json | undefined): string {
  try {
    const whole = steps.reduceRight<unknown>((part, step) => ({ [step]: part }), value)
    const shown = steps.reduce<unknown>((part, step) => (part as Record<Step, unknown>)[step], maskedThroughout(whole))
    const text = JSON.stringify(shown) ?? 'nothing'
    return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
  } catch {
    return 'data that cannot be shown'
  }
}
