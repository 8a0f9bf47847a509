/**
 * The reasons for a response: first the sentence that decided, then the rules with the figures that
 * each saw.
 */
import type { ComponentChildren } from 'preact'
import { OPERATIONS, operationNamed } from '../../../../reference/operations.js'
import { RULES, type RuleId } from '../../../../reference/rules.js'
import { hrefOf } from '../../app/route.js'
import { Pairs } from '../../components/layout.js'
import { linked, listed, NearMisses, recordAddress, requestLink } from '../../components/links.js'
import {
  controlOf,
  type ExplainedCall,
  type JournalCall,
  type TriedCall
} from '../../control/client.js'
import { countOf } from '../count.js'
import { type Charge, MoneyBar } from '../money-bar.js'
import { markOf, outcomeShown } from './request-list.js'
import { isHeld, list } from './requests.js'

function docsOf(on: string | null): string {
  const id = on === null ? null : operationNamed(on)
  return `${controlOf()}/docs${id === null ? '' : `#/${OPERATIONS[id].family}/${id}`}`
}

export const textOfRule = (rule: string): string | undefined => RULES[rule as RuleId]?.text

const RuleName = ({ rule, on }: { rule: string; on: string | null }) => (
  <a href={docsOf(on)} title={textOfRule(rule)}>
    {rule}
  </a>
)

type Facts = Readonly<Record<string, unknown>>
type Props = { call: JournalCall | ExplainedCall | TriedCall; changed?: number | undefined }

export function Why({ call, changed }: Props) {
  const { on, refusal, script, answer } = call
  const why = 'why' in call ? call.why : null
  const violated = why?.rules.find(({ verdict }) => verdict === 'violated')
  const passed = why?.rules.filter(({ verdict }) => verdict === 'passed') ?? []
  const assumed = why?.assumptions.find(
    ({ assumption }) => refusal?.rule === null && assumption === refusal.assumption
  )
  const message: string | undefined = refusal && Object(answer).error?.message
  return (
    <div class="stack">
      <div class={`verdict stack ${markOf(call).kind}`}>
        <p class="title">{outcomeShown(call, changed)}</p>
        {violated && (
          <p>
            <RuleName rule={violated.rule} on={on} />: {violated.text}.
          </p>
        )}
        {refusal && !violated && (
          <p>
            <code>{refusal.code}</code>
            {assumed && `, as ${assumed.assumption} assumes: ${assumed.topic}`}
          </p>
        )}
        {script && (
          <p>
            By the script entry{' '}
            {linked(script.name ?? script.id, hrefOf({ view: 'scenario', path: ['script'] }))}
            {script.fault && `: ${script.fault}`}
          </p>
        )}
        {why && !refusal && !script && (
          <p>
            {why.rules.length === 0
              ? 'No operation matched.'
              : `All ${why.rules.length} applicable rules passed.`}
          </p>
        )}
        {message && violated?.facts?.charged === undefined && <p>{message}</p>}
        {violated?.facts && <Figures facts={violated.facts} />}
      </div>
      {why === null && (
        <p class="faint">
          The request log was cleared since, so the reasons for this response are gone.
        </p>
      )}
      {why && why.changed_by.length > 0 && (
        <p>Its records were last changed by {listed(why.changed_by, requestNamed)}.</p>
      )}
      <NearMisses near={why?.near_misses} />
      <Chain
        title={`${countOf(passed.length, 'rule')} passed`}
        of={passed.map(({ rule, text, facts }) => [
          <RuleName key={rule} rule={rule} on={on} />,
          text,
          facts && <Figures key="facts" facts={facts} />
        ])}
      />
      <Chain
        title={`Based on ${countOf(why?.assumptions.length ?? 0, 'assumption')}`}
        of={(why?.assumptions ?? []).map(({ assumption, topic }) => [
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

function requestNamed(id: string) {
  if (id.includes(' ')) return id
  const row = list.value.rows.find(row => row.call.id === id && isHeld(row))
  return [requestLink(id), row && ` (${row.call.method} ${row.call.path})`]
}
