/** What a wrong answer of a running service is about: the rule or the assumption by which the emulator answers otherwise. */
import type { Step } from '../../core/places.js'
import { stepsTo, valueAt } from '../../core/templates.js'
import type { Exchange } from '../../engine/exchange.js'
import type { AssumptionId } from '../../reference/assumptions.js'
import { type Kind, operationOf } from '../../reference/operations.js'
import type { RuleId } from '../../reference/rules.js'
import type { StepAnswer, StepCall } from '../../scenario/steps.js'
import { type Comparison, type FieldDifference, fieldOf, membersOf } from './compare.js'

/** A call with the answers of the service and of the emulator. */
export type Compared = {
  call: StepCall
  there: StepAnswer
  here: StepAnswer
  judged: Exchange
  /** All that differs but for what the emulator cannot know, which is `unseen`. */
  differences: readonly FieldDifference[]
  unseen: readonly FieldDifference[]
  comparison: Comparison
}
export type About = RuleId | AssumptionId | null

/** What each kind of difference is about, and each field, sent or not: the first that the operation can rely on. */
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

/** What a difference is about; null where that is neither a rule nor an assumption that the operation can rely on. */
export function aboutOf(difference: FieldDifference, compared: Compared): About {
  const { operation } = compared.judged
  if (operation === null || difference.kind === 'form') return null
  const { rules, assumptions, kind } = operationOf(operation)
  const known: readonly unknown[] = [...rules, ...assumptions]
  return (candidatesIn(difference, compared, kind).find(one => known.includes(one)) ?? null) as About
}

function candidatesIn({ kind, steps, part }: FieldDifference, { call, here, there, judged, comparison }: Compared, does: Kind): readonly unknown[] {
  const { pairs, shapes } = comparison
  if (kind === 'outcome') return [judged.outcome.refusal?.rule, judged.outcome.refusal?.assumption, valueAt(shapes.error, there.body, '$rule')]
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
  if (does !== 'update') return top === 'metadata' ? ['META-1'] : (FIELDS[names.length === 0 ? top : `${top} sent`] ?? [])
  if (isKey && names.length > 0) return sent.get('metadata') === '' ? ['META-3'] : [sent.get(`metadata[${below}]`) === '' ? 'META-2' : 'A17']
  return names.length === 0 ? ['UPD-1'] : [names.some(name => sent.get(name) === '') && 'UPD-2']
}
