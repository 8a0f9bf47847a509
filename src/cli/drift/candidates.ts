/** Which settings are tried where an answer of a service differs: those of the assumptions that the answer can rely on, each with the values that may agree. */
import { isDeepStrictEqual } from 'node:util'
import { type GivenSettings, nested, SETTINGS, type SettingKey } from '../../core/settings.js'
import { valueAt } from '../../core/templates.js'
import { judgementOf } from '../../evidence/judgement.js'
import { ASSUMPTION_IDS, ASSUMPTIONS, type AssumptionId } from '../../reference/assumptions.js'
import { operationOf } from '../../reference/operations.js'
import { SANDBOX_SETTINGS_CHECKER } from '../../scenario/schemas.js'
import type { Compared } from './about.js'
import { fieldOf, idParts, membersOf } from './compare.js'
import { type Answered, cursorsTold, errorTemplates, listTemplates } from './shapes.js'

/** Settings to try together, all of one assumption. */
export type Candidate = { assumption: AssumptionId; settings: GivenSettings }

/** Single settings to try, those of assumptions that the answer relied on first. */
export function candidatesFor(compared: Compared, accounts: readonly string[], answered: Answered): Candidate[] {
  const { judged } = compared
  const relied = judgementOf(judged).relied.map(place => ASSUMPTION_IDS[place] as AssumptionId)
  const possible = judged.operation === null ? [] : operationOf(judged.operation).assumptions
  const found = new Map<SettingKey, AssumptionId>()
  for (const assumption of [...relied, ...possible]) {
    for (const key of ASSUMPTIONS[assumption].settings as readonly SettingKey[]) if (!found.has(key)) found.set(key, assumption)
  }
  return [...found].flatMap(([key, assumption]) =>
    valuesFor(key, compared, accounts, answered)
      .filter(value => !isDeepStrictEqual(value, judged.settings[key]) && SANDBOX_SETTINGS_CHECKER.isRight(nested({ [key]: value })))
      .map(value => ({ [key]: value }))
      // cursors of other names may be ignored
      .flatMap(settings => (key === 'pagination.cursors' ? [settings, { ...settings, 'parameters.unknown': 'ignore' }] : [settings]))
      .map(settings => ({ assumption, settings }))
  )
}

/** Two settings of one assumption to try together, where neither alone brings the answers nearer. */
export const pairsOf = (candidates: readonly Candidate[]): Candidate[] =>
  candidates.flatMap(({ assumption, settings }, index) =>
    candidates
      .slice(index + 1)
      .filter(other => other.assumption === assumption && Object.keys(other.settings)[0] !== Object.keys(settings)[0])
      .map(other => ({ assumption, settings: { ...settings, ...other.settings } }))
  )

/** The values of a setting that may make the emulator answer as the service did; `accounts` are those that it may have acted as. */
function valuesFor(key: SettingKey, compared: Compared, accounts: readonly string[], answered: Answered): readonly unknown[] {
  const { there, here, differences } = compared
  if (key === 'auth.accept_any_key') return there.status === here.status ? [] : actorsFor(compared, accounts)
  if (key.startsWith('statuses.')) return [there.status]
  if (key === 'shapes.list') return listTemplates(compared, answered)
  if (key === 'shapes.error') return errorTemplates(compared, answered)
  if (key === 'pagination.cursors') return [cursorsTold(answered, compared.judged.settings[key])]
  if (key === 'errors.expose_rule') {
    // only where nothing else differs does an answer show whether errors name their rules
    const kinds = differences.map(({ kind, part }) => (part === '$rule' || part === '$assumption' ? kind : null))
    return [true, false].filter(isNamed => kinds.every(kind => kind === (isNamed ? 'unknown' : 'missing')))
  }
  if (key === 'transactions.default_currency') return [fieldOf(there.body, 'currency')]
  if (key.startsWith('ids.')) {
    // prefixes of other resources say nothing
    const [of, by] = [fieldOf(there.body, 'id'), fieldOf(here.body, 'id')]
    return typeof of === 'string' && typeof by === 'string' ? [idParts(of)[key === 'ids.length' ? 'length' : 'prefix']] : []
  }
  // warn answers as ignore does, and says more than a service would
  const { enum: words } = SETTINGS[key].schema as { enum?: readonly unknown[] }
  return key === 'seed' || SETTINGS[key].scope === 'process' ? [] : (words?.filter(word => word !== 'warn') ?? wholeNumbers(compared))
}

/** The Accounts that a service may have acted as: where a rule refuses the call to the Account of its key, only the one that the service names. */
function actorsFor({ there, judged }: Compared, accounts: readonly string[]): readonly string[] {
  return judged.outcome.refusal?.rule ? accounts.filter(account => fieldOf(there.body, 'account') === account) : accounts
}

/** Numbers that a limit may have: those that the service names, the largest first, how many records a page held before which more follow, and what was asked, less one. */
function wholeNumbers({ call, there: { body }, comparison: { shapes } }: Compared): number[] {
  const named = String(valueAt(shapes.error, body, '$message') ?? '').match(/\d+/g) ?? []
  const limit = Number(new URLSearchParams(call.query).get('limit') ?? 0)
  const members = membersOf(body, shapes.list)
  const page = members.length > 0 && valueAt(shapes.list, body, '$has_more') === true ? [members.length] : []
  return [...new Set([...named.map(Number).sort((a, b) => b - a), ...page, limit - 1])]
}
