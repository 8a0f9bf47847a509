/**
 * Why a response of a running service differs: the rule or the assumption by which the emulator
 * responds otherwise, and the settings that are tried, those of the
 * assumptions that the response can rely on, each with the values that may agree.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Step } from '../../core/places.js'
import { type GivenSettings, nested, SETTINGS, type SettingKey } from '../../core/settings.js'
import { stepsTo, valueAt } from '../../core/templates.js'
import { judgementOf } from '../../evidence/judgement.js'
import { ASSUMPTION_IDS, ASSUMPTIONS, type AssumptionId } from '../../reference/assumptions.js'
import { type Kind, operationOf } from '../../reference/operations.js'
import type { RuleId } from '../../reference/rules.js'
import { SANDBOX_SETTINGS_CHECKER } from '../../scenario/schemas.js'
import { type Compared, type FieldDifference, fieldOf, idParts, membersOf } from './compare.js'
import { type Answered, cursorsTold, errorTemplates, listTemplates } from './shapes.js'

export type About = RuleId | AssumptionId | null

/**
 * What each kind of difference is about, and each field, sent or not: the first that the operation
 * can rely on.
 */
const KINDS: Readonly<Partial<Record<FieldDifference['kind'], readonly About[]>>> = {
  status: ['USR-4', 'A06', 'A08'],
  prefix: ['A02'],
  length: ['A03'],
  missing: ['A04'],
  unknown: ['A04']
}
const FIELDS: Readonly<Record<string, readonly About[]>> = {
  created: ['A05'],
  account: ['A21'],
  location: ['A21'],
  reseller: ['A21'],
  payment_method: ['A25', 'A28'],
  currency: ['A22', 'A28'],
  'currency sent': ['TXN-6'],
  amounts: ['A24'],
  'amounts sent': ['A24'],
  amount: ['REF-4', 'A24'],
  'amount sent': ['TXN-7', 'REF-3'],
  reason: ['REF-8'],
  amount_refunded: ['A29'],
  $has_more: ['LIST-2']
}

/**
 * What a difference is about; null where that is neither a rule nor an assumption that the
 * operation can rely on.
 */
export function aboutOf(difference: FieldDifference, compared: Compared): About {
  const { operation } = compared.judged
  if (operation === null || difference.kind === 'form') return null
  const { rules, assumptions, kind } = operationOf(operation)
  const known: readonly unknown[] = [...rules, ...assumptions]
  return (candidatesIn(difference, compared, kind).find(one => known.includes(one)) ??
    null) as About
}

function candidatesIn(
  { kind, steps, part }: FieldDifference,
  { call, here, there, judged, comparison }: Compared,
  does: Kind
): readonly unknown[] {
  const { pairs, shapes } = comparison
  if (kind === 'outcome')
    return [
      judged.outcome.refusal?.rule,
      judged.outcome.refusal?.assumption,
      valueAt(shapes.error, there.body, '$rule')
    ]
  if (here.status >= 400) return [kind === 'status' ? 'A08' : 'A07']
  const members = does === 'list' ? (stepsTo(shapes.list, '$members') as readonly Step[]) : []
  const isInMembers = members.every((step, depth) => steps[depth] === step)
  if (!isInMembers && kind !== 'status') return FIELDS[part as string] ?? ['A09']
  const [top = '', below] = (does === 'list' ? steps.slice(members.length + 1) : steps) as string[]
  if (top === 'refunds') return ['TXN-8']
  if (kind === 'record' || kind === 'members') {
    const [shown, own] = [there, here].map(({ body }) =>
      membersOf(body, shapes.list)
        .map(member => pairs.here(String(fieldOf(member, 'id'))))
        .sort()
    ) as [string[], string[]]
    const limit = new URLSearchParams(call.query).get('limit')
    if (limit !== null && shown.length > Number(limit)) return ['LIST-3']
    return String(shown) === String(own) ? ['REF-10', 'A11'] : []
  }
  const isKey = top === 'metadata' && below !== undefined
  if (KINDS[kind] !== undefined && !isKey) return KINDS[kind]
  const sent = new URLSearchParams(call.form ?? '')
  const names = [...sent.keys()].filter(name => name === top || name.startsWith(`${top}[`))
  if (does !== 'update')
    return top === 'metadata'
      ? ['META-1']
      : (FIELDS[names.length === 0 ? top : `${top} sent`] ?? [])
  if (isKey && names.length > 0)
    return sent.get('metadata') === ''
      ? ['META-3']
      : [sent.get(`metadata[${below}]`) === '' ? 'META-2' : 'A17']
  return names.length === 0 ? ['UPD-1'] : [names.some(name => sent.get(name) === '') && 'UPD-2']
}

/** Settings to try together, all of one assumption. */
export type Candidate = { assumption: AssumptionId; settings: GivenSettings }

/** Single settings to try, those of assumptions that the response relied on first. */
export function candidatesFor(
  compared: Compared,
  accounts: readonly string[],
  answered: Answered
): Candidate[] {
  const { judged } = compared
  const relied = judgementOf(judged).relied.map(place => ASSUMPTION_IDS[place] as AssumptionId)
  const possible = judged.operation === null ? [] : operationOf(judged.operation).assumptions
  const found = new Map<SettingKey, AssumptionId>()
  for (const assumption of [...relied, ...possible]) {
    for (const key of ASSUMPTIONS[assumption].settings as readonly SettingKey[])
      if (!found.has(key)) found.set(key, assumption)
  }
  return [...found].flatMap(([key, assumption]) =>
    valuesFor(key, compared, accounts, answered)
      .filter(
        value =>
          !isDeepStrictEqual(value, judged.settings[key]) &&
          SANDBOX_SETTINGS_CHECKER.isRight(nested({ [key]: value }))
      )
      .map(value => ({ [key]: value }))
      // cursors of other names may be ignored
      .flatMap(settings =>
        key === 'pagination.cursors'
          ? [settings, { ...settings, 'parameters.unknown': 'ignore' }]
          : [settings]
      )
      .map(settings => ({ assumption, settings }))
  )
}

/** Two settings of one assumption to try together, if neither alone brings the responses closer. */
export const pairsOf = (candidates: readonly Candidate[]): Candidate[] =>
  candidates.flatMap(({ assumption, settings }, index) =>
    candidates
      .slice(index + 1)
      .filter(
        other =>
          other.assumption === assumption &&
          Object.keys(other.settings)[0] !== Object.keys(settings)[0]
      )
      .map(other => ({ assumption, settings: { ...settings, ...other.settings } }))
  )

/**
 * The values of a setting that may make the emulator respond as the service did; `accounts` are
 * those that the service may have acted as.
 */
function valuesFor(
  key: SettingKey,
  compared: Compared,
  accounts: readonly string[],
  answered: Answered
): readonly unknown[] {
  const { there, here, differences } = compared
  if (key === 'auth.accept_any_key')
    return there.status === here.status ? [] : actorsFor(compared, accounts)
  if (key.startsWith('statuses.')) return [there.status]
  if (key === 'shapes.list') return listTemplates(compared, answered)
  if (key === 'shapes.error') return errorTemplates(compared, answered)
  if (key === 'pagination.cursors') return [cursorsTold(answered, compared.judged.settings[key])]
  if (key === 'errors.expose_rule') {
    // a response shows whether errors name their rules only if nothing else differs
    const kinds = differences.map(({ kind, part }) =>
      part === '$rule' || part === '$assumption' ? kind : null
    )
    return [true, false].filter(isNamed =>
      kinds.every(kind => kind === (isNamed ? 'unknown' : 'missing'))
    )
  }
  if (key === 'transactions.default_currency') return [fieldOf(there.body, 'currency')]
  if (key.startsWith('ids.')) {
    // prefixes of other resources say nothing
    const [of, by] = [fieldOf(there.body, 'id'), fieldOf(here.body, 'id')]
    return typeof of === 'string' && typeof by === 'string'
      ? [idParts(of)[key === 'ids.length' ? 'length' : 'prefix']]
      : []
  }
  // `warn` responds as `ignore` does, and says more than a service would
  const { enum: words } = SETTINGS[key].schema as { enum?: readonly unknown[] }
  return key === 'seed' || SETTINGS[key].scope === 'process'
    ? []
    : (words?.filter(word => word !== 'warn') ?? wholeNumbers(compared))
}

/**
 * The Accounts that the service may have acted as. If a rule refused the request here, only the one
 * that the service names.
 */
function actorsFor({ there, judged }: Compared, accounts: readonly string[]): readonly string[] {
  return judged.outcome.refusal?.rule
    ? accounts.filter(account => fieldOf(there.body, 'account') === account)
    : accounts
}

/**
 * Numbers that a limit may have: those that the service names, the largest first, how many records
 * a page held before which more follow, and what was asked, less one.
 */
function wholeNumbers({ call, there: { body }, comparison: { shapes } }: Compared): number[] {
  const named = String(valueAt(shapes.error, body, '$message') ?? '').match(/\d+/g) ?? []
  const limit = Number(new URLSearchParams(call.query).get('limit') ?? 0)
  const members = membersOf(body, shapes.list)
  const page =
    members.length > 0 && valueAt(shapes.list, body, '$has_more') === true ? [members.length] : []
  return [...new Set([...named.map(Number).sort((a, b) => b - a), ...page, limit - 1])]
}
