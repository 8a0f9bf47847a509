/** Which settings are tried where an answer of a service differs: those of the assumptions that the answer can rely on, each with the values that may agree. */
import { pathOf } from '../../core/places.js'
import { type GivenSettings, nested, SETTINGS, type SettingKey, type Settings } from '../../core/settings.js'
import { reliedAssumptions } from '../../evidence/judgement.js'
import { ASSUMPTION_IDS, ASSUMPTIONS, type AssumptionId } from '../../reference/assumptions.js'
import { operationOf } from '../../reference/operations.js'
import { SANDBOX_SETTINGS_CHECKER } from '../../scenario/schemas.js'
import type { Json, StepAnswer, StepCall } from '../../scenario/steps.js'
import { type DifferenceKind, type FieldDifference, idParts, isFailure } from './compare.js'
import type { JudgedAnswer } from './emulated.js'

/** Settings to try together, all of one assumption. */
export type Candidate = { assumption: AssumptionId; settings: GivenSettings }
/** A call with both answers, what differs between them, and what can be tried. */
export type Asked = {
  call: StepCall
  there: StepAnswer
  here: JudgedAnswer
  differences: readonly FieldDifference[]
  /** Whether the service refuses because it lacks a record; the status of that refusal is not the status of others. */
  isLacking: boolean
  settings: Settings
  accounts: readonly string[]
}

/** Single settings to try, those of assumptions that the answer relied on first. */
export function candidatesFor(asked: Asked): Candidate[] {
  const { judged } = asked.here
  if (isFailure(asked.there)) return []
  const relied = reliedAssumptions(judged).map(place => ASSUMPTION_IDS[place] as AssumptionId)
  const possible = judged.operation === null ? [] : operationOf(judged.operation).assumptions
  const seen = new Set<SettingKey>()
  return [...new Set([...relied, ...possible])].flatMap(assumption =>
    (ASSUMPTIONS[assumption].settings as readonly SettingKey[]).flatMap(key => {
      if (seen.has(key) || SETTINGS[key].scope === 'process' || key === 'seed') return []
      seen.add(key)
      return valuesFor(key, asked)
        .filter(value => value !== asked.settings[key] && SANDBOX_SETTINGS_CHECKER.isRight(nested({ [key]: value })))
        .map(value => ({ assumption, settings: { [key]: value } }))
    })
  )
}

/** Two settings of one assumption to try together, where neither alone brings the answers nearer. */
export function pairsOf(candidates: readonly Candidate[]): Candidate[] {
  return candidates.flatMap((one, index) =>
    candidates
      .slice(index + 1)
      .filter(other => other.assumption === one.assumption && keyIn(other) !== keyIn(one))
      .map(other => ({ assumption: one.assumption, settings: { ...one.settings, ...other.settings } }))
  )
}

const keyIn = ({ settings }: Candidate) => Object.keys(settings)[0]

/** The values of a setting that may make the emulator answer as the service did. */
function valuesFor(key: SettingKey, { call, there, here, differences, isLacking, accounts }: Asked): unknown[] {
  const schema = SETTINGS[key].schema as { enum?: readonly unknown[] }
  if (key === 'auth.accept_any_key') return there.status === here.answer.status ? [] : actorsFor(there, here, accounts)
  if (key.startsWith('statuses.')) return isLacking ? [] : [there.status]
  // only where nothing else differs does an answer show whether errors name their rules
  if (key === 'errors.expose_rule') return [true, false].filter(isNamed => differences.every(isOfRule(isNamed ? 'unknown' : 'missing')))
  if (key === 'transactions.default_currency') return [fieldOf(there.body, 'currency')]
  if (key.startsWith('ids.')) return idValues(key, there.body, here.answer.body)
  // warn answers as ignore does, and says more than a service would
  if (schema.enum !== undefined) return schema.enum.filter(value => value !== 'warn')
  return wholeNumbers(call, there.body)
}

/** The Accounts that a service may have acted as: where a rule refuses the call to the Account of its key, only the one that the service names. */
function actorsFor({ body }: StepAnswer, { judged }: JudgedAnswer, accounts: readonly string[]): string[] {
  const isByRule = judged.outcome.refusal?.rule != null
  return accounts.filter(account => !isByRule || fieldOf(body, 'account') === account)
}

/** Whether the rule or the assumption of a refusal is what one of the answers does not name. */
const isOfRule =
  (wanted: DifferenceKind) =>
  ({ kind, steps }: FieldDifference) =>
    kind === wanted && ['error.rule', 'error.assumption'].includes(pathOf(steps))

/** The part of a new id that the setting is about; prefixes of other resources say nothing. */
function idValues(key: SettingKey, there: Json, here: Json): unknown[] {
  const [of, by] = [fieldOf(there, 'id'), fieldOf(here, 'id')]
  if (typeof of !== 'string' || typeof by !== 'string') return []
  return [key === 'ids.length' ? idParts(of).length : idParts(of).prefix]
}

/** Numbers that a limit may have: those that the service names, the largest first, how many records a page held before which more follow, and what was asked, less one. */
function wholeNumbers({ query }: StepCall, there: Json): number[] {
  const { data, has_more, error } = (there ?? {}) as { data?: unknown; has_more?: unknown; error?: { message?: unknown } }
  const named = String(error?.message ?? '').match(/\d+/g) ?? []
  const limit = Number(new URLSearchParams(query).get('limit') ?? 0)
  return [...new Set([...named.map(Number).sort((a, b) => b - a), ...(Array.isArray(data) && has_more === true ? [data.length] : []), limit - 1])]
}

const fieldOf = (body: Json, name: string): Json | undefined => (typeof body === 'object' && body !== null && !Array.isArray(body) ? body[name] : undefined)
