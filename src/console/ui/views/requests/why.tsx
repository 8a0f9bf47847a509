/**
 * The reasons for a response: first the sentence that decided, then the rules with the figures that
 * each saw.
 */
import type { ComponentChildren } from 'preact'
import { OPERATIONS, operationNamed } from '../../../../reference/operations.js'
import { RULES, type RuleId } from '../../../../reference/rules.js'
import { hrefOf } from '../../app/route.js'
import { Pairs } from '../../components/layout.js'
import { linked, listed, NearMisses, RequestLink } from '../../components/links.js'
import type { ExplainedCall } from '../../control/client.js'
import { controlOf } from '../../control/place.js'
import { countOf } from '../count.js'
import { type Charge, MoneyBar } from '../money-bar.js'
import { recordAddress } from '../record-address.js'
import { isHeld, list } from './requests.js'

function docsOf(on: string | null): string {
  const id = on === null ? null : operationNamed(on)
  return `${controlOf()}/docs${id === null ? '' : `#/${OPERATIONS[id].family}/${id}`}`
}

/** Undefined for what is not a rule. */
export const textOfRule = (rule: string): string | undefined => RULES[rule as RuleId]?.text

/** The id of a rule, with its text as a tooltip, and a link to the API page at the operation. */
const RuleName = ({ rule, on }: { rule: string; on: string | null }) => (
  <a href={docsOf(on)} title={textOfRule(rule)}>
    {rule}
  </a>
)

type Judged = Pick<ExplainedCall, 'why' | 'on' | 'refusal' | 'script' | 'answer'>
type Facts = Readonly<Record<string, unknown>>

export function Why({ call }: { call: Judged }) {
  const { why, on, refusal, script, answer } = call
  const broken = why.rules.find(({ verdict }) => verdict === 'broken')
  const kept = why.rules.filter(({ verdict }) => verdict === 'kept')
  const assumed = why.assumptions.find(
    ({ assumption }) => refusal?.rule === null && assumption === refusal.assumption
  )
  const decision = broken
    ? ['Refused by ', <RuleName key="rule" rule={broken.rule} on={on} />, `: ${broken.text}.`]
    : [
        'Refused with ',
        <code key="code">{refusal?.code}</code>,
        assumed && `, as ${assumed.assumption} assumes: ${assumed.topic}`,
        '.'
      ]
  const message: string | undefined = refusal && Object(answer).error?.message
  return (
    <div class="stack">
      <div class={`verdict stack ${refusal ? 'warn' : ''}`}>
        <p>
          {refusal && <b>{decision}</b>}{' '}
          {script && [
            'The script entry ',
            linked(script.name ?? script.id, hrefOf({ view: 'behaviour', path: ['script'] })),
            ` was applied to it${script.fault ? `: ${script.fault}` : ''}.`
          ]}
          {!refusal &&
            !script &&
            (why.rules.length === 0
              ? 'No operation matched.'
              : `It kept all ${why.rules.length} rules that it met.`)}
        </p>
        {message && broken?.facts?.charged === undefined && <p>{message}</p>}
        {broken?.facts && <Figures facts={broken.facts} />}
      </div>
      {why.changed_by.length > 0 && (
        <p>The records in question were last changed by {listed(why.changed_by, requestNamed)}.</p>
      )}
      <NearMisses near={why.near_misses} begins="It nearly matched" shown={what => what} />
      <Chain
        title={`${countOf(kept.length, 'rule')} kept`}
        of={kept.map(({ rule, text, facts }) => [
          <RuleName key={rule} rule={rule} on={on} />,
          text,
          facts && <Figures key="facts" facts={facts} />
        ])}
      />
      <Chain
        title={`Relies on ${countOf(why.assumptions.length, 'assumption')}`}
        of={why.assumptions.map(({ assumption, topic }) => [
          linked(assumption, hrefOf({ view: 'evidence', path: ['assumptions'] })),
          topic
        ])}
      />
    </div>
  )
}

type ChainProps = {
  title: string
  of: readonly (readonly [name: ComponentChildren, text: string, figures?: ComponentChildren])[]
}

const Chain = ({ title, of }: ChainProps) =>
  of.length === 0 ? null : (
    <details>
      <summary>{title}</summary>
      <ol class="chain">
        {of.map(([name, text, figures]) => (
          <li key={text}>
            {name} <span>{text}</span> {figures}
          </li>
        ))}
      </ol>
    </details>
  )

/** What a rule saw: of a charge as a bar. */
function Figures({ facts }: { facts: Facts }) {
  const isCharge = 'charged' in facts
  const others = Object.entries(isCharge ? { transaction: facts.transaction } : facts)
  const shown = (value: unknown) =>
    typeof value === 'string' ? linked(value, recordAddress(value)) : JSON.stringify(value)
  return (
    <>
      {isCharge && <MoneyBar {...(facts as Charge)} />}
      <Pairs class="facts" pairs={others.map(([name, value]) => [name, shown(value)])} />
    </>
  )
}

/** A request by a link; a control request, which has no page of its own, as it is named. */
function requestNamed(id: string) {
  if (id.includes(' ')) return id
  const row = list.value.rows.find(row => row.call.id === id && isHeld(row))
  return [<RequestLink key={id} id={id} />, row && ` (${row.call.method} ${row.call.path})`]
}
