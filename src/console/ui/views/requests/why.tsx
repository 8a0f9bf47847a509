/** Why a request was answered so: first the sentence that decided, then the rules with the figures that each saw. */
import type { VNode } from 'preact'
import { OPERATIONS, operationNamed } from '../../../../reference/operations.js'
import { RULES } from '../../../../reference/rules.js'
import { hrefOf } from '../../app/route.js'
import { Pairs } from '../../components/layout.js'
import { linked, listed, NearMisses, RequestLink } from '../../components/links.js'
import type { ExplainedCall } from '../../control/client.js'
import { controlOf, sandbox } from '../../control/place.js'
import { isMoney } from '../money.js'
import { Money, MoneyBar } from '../money-bar.js'
import { recordAddress } from '../record-address.js'
import { list } from './requests.js'

function docsOf(on: string | null): string {
  const id = on === null ? null : operationNamed(on)
  return `${controlOf()}/docs${id === null ? '' : `#/${OPERATIONS[id].family}/${id}`}`
}

/** Undefined for what is not a rule. */
export const textOfRule = (rule: string | null | undefined): string | undefined =>
  rule != null && rule in RULES ? RULES[rule as keyof typeof RULES].text : undefined

/** The id of a rule, with its text as a tooltip, and a link to the API page at the operation. */
const RuleName = ({ rule, on }: { rule: string; on: string | null }) => (
  <a href={docsOf(on)} title={textOfRule(rule)}>
    {rule}
  </a>
)

type Judged = Pick<ExplainedCall, 'why' | 'on' | 'refusal' | 'script' | 'answer'>
type Facts = Readonly<Record<string, unknown>>
type Charge = { charged: number; refunded: number; remaining: number; currency: unknown }

export function Why({ call }: { call: Judged }) {
  const { why, on, refusal, script, answer } = call
  const broken = why.rules.find(({ verdict }) => verdict === 'broken')
  const kept = why.rules.filter(({ verdict }) => verdict === 'kept')
  const assumption = refusal !== null && refusal.rule === null ? refusal.assumption : null
  const message = refusal && (answer as { error?: { message?: string } } | null)?.error?.message
  return (
    <div class="why stack">
      <div class={`verdict stack ${refusal ? 'warn' : ''}`}>
        <p>
          {broken && (
            <b>
              Refused by <RuleName rule={broken.rule} on={on} />: {broken.text}.
            </b>
          )}
          {!broken && refusal && (
            <b>
              Refused with <code>{refusal.code}</code>
              {assumption !== null && `, as ${assumption} assumes: ${why.assumptions.find(({ assumption: id }) => id === assumption)?.topic ?? ''}`}.
            </b>
          )}{' '}
          {script && (
            <>
              The script entry <a href={hrefOf({ view: 'behaviour', path: ['script'] })}>{script.name ?? script.id}</a> was applied to it
              {script.fault && `: ${script.fault}`}.
            </>
          )}
          {!broken && !refusal && !script && (why.rules.length === 0 ? 'No operation matched.' : `It kept all ${why.rules.length} rules that it met.`)}
        </p>
        {message && broken?.facts?.charged === undefined && <p>{message}</p>}
        {broken?.facts && <Figures facts={broken.facts} />}
      </div>
      {why.changed_by.length > 0 && (
        <p>
          The records in question were last changed by{' '}
          {listed(why.changed_by, id => (
            <RequestName id={id} />
          ))}
          .
        </p>
      )}
      <NearMisses near={why.near_misses} begins="It nearly matched" shown={what => what} />
      <Chain title={`${kept.length} ${kept.length === 1 ? 'rule' : 'rules'} kept`}>
        {kept.map(({ rule, text, facts }) => (
          <li key={rule}>
            <RuleName rule={rule} on={on} />
            <span>{text}</span>
            {facts && <Figures facts={facts} />}
          </li>
        ))}
      </Chain>
      <Chain title={`Relies on ${why.assumptions.length} ${why.assumptions.length === 1 ? 'assumption' : 'assumptions'}`}>
        {why.assumptions.map(({ assumption: id, topic }) => (
          <li key={id}>
            <a href={hrefOf({ view: 'evidence', path: ['assumptions'] })}>{id}</a>
            <span>{topic}</span>
          </li>
        ))}
      </Chain>
    </div>
  )
}

const Chain = ({ title, children }: { title: string; children: VNode[] }) =>
  children.length === 0 ? null : (
    <details>
      <summary>{title}</summary>
      <ol class="chain">{children}</ol>
    </details>
  )

/** What a rule saw: of a charge as a bar. */
function Figures({ facts }: { facts: Facts }) {
  const { charged, refunded, remaining, asked, currency, ...others } = facts
  const isCharge = [charged, refunded, remaining].every(sum => typeof sum === 'number')
  const shown = isCharge ? others : facts
  return (
    <>
      {isCharge && <MoneyBar {...(facts as Charge)} asked={typeof asked === 'number' ? asked : undefined} />}
      {Object.keys(shown).length > 0 && <Pairs class="facts" pairs={Object.entries(shown).map(([name, value]) => [name, factShown(name, value, currency)])} />}
    </>
  )
}

/** The id of a record is a link, and an amount is money. */
function factShown(name: string, value: unknown, currency: unknown) {
  if (typeof value === 'string') return linked(value, recordAddress(value))
  return typeof value === 'number' && isMoney(name) && currency !== undefined ? <Money amount={value} currency={currency} /> : JSON.stringify(value)
}

/** A link to a request, with its method and path where they are known. */
function RequestName({ id }: { id: string }) {
  const row = list.value.rows.find(({ call, sandbox: its }) => call.id === id && its === sandbox.value)
  return (
    <>
      <RequestLink id={id} />
      {row && ` (${row.call.method} ${row.call.path})`}
    </>
  )
}
