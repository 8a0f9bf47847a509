/** The reasons for a response: the one that decided, then the rules with their figures. */
import type { ComponentChildren } from 'preact'
import { OPERATIONS, operationNamed } from '../../../../reference/operations.js'
import { RULES, type Rule } from '../../../../reference/rules.js'
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

const TEXTS: Readonly<Record<string, Rule>> = RULES
export const textOfRule = (rule: string): string | undefined => TEXTS[rule]?.text

const RuleName = ({ rule, on }: { rule: string; on: string | null }) => (
  <a href={docsOf(on)} title={textOfRule(rule)}>
    {rule}
  </a>
)

type Facts = Readonly<Record<string, unknown>>
type Props = { call: JournalCall | ExplainedCall | TriedCall; changed?: number | undefined }

export function Why({ call, changed }: Props) {
  const why = 'why' in call ? call.why : null
  const passed = why?.rules.filter(({ verdict }) => verdict === 'passed') ?? []
  const assumptions = why?.assumptions ?? []
  return (
    <div class="stack">
      <Decision call={call} changed={changed} />
      {why === null && (
        <p class="faint">
          The request log has been cleared, so the reasons for this response are gone.
        </p>
      )}
      {why && why.changed_by.length > 0 && (
        <p>Its records were last changed by {listed(why.changed_by, requestNamed)}.</p>
      )}
      <NearMisses near={why?.near_misses} />
      <Chain
        title={`${countOf(passed.length, 'rule')} passed`}
        of={passed.map(({ rule, text, facts }) => [
          <RuleName key={rule} rule={rule} on={call.on} />,
          text,
          facts && <Figures key="facts" facts={facts} />
        ])}
      />
      <Chain
        title={`Based on ${countOf(assumptions.length, 'assumption')}`}
        of={assumptions.map(({ assumption, topic }) => [
          linked(assumption, hrefOf({ view: 'evidence', path: ['assumptions'] })),
          topic
        ])}
      />
    </div>
  )
}

function Decision({ call, changed }: Props) {
  const { on, refusal, script } = call
  const why = 'why' in call ? call.why : null
  const violated = why?.rules.find(({ verdict }) => verdict === 'violated')
  const assumed = why?.assumptions.find(
    ({ assumption }) => refusal?.rule === null && assumption === refusal.assumption
  )
  const message: string | undefined = refusal && Object(call.answer).error?.message
  return (
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
      {script && <Scripted script={script} />}
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
  )
}

const Scripted = ({ script }: { script: NonNullable<JournalCall['script']> }) => (
  <p>
    By the script entry{' '}
    {linked(script.name ?? script.id, hrefOf({ view: 'scenario', path: ['script'] }))}
    {script.fault && `: ${script.fault}`}
  </p>
)

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

const isCharge = (facts: Facts): facts is Facts & Charge => 'charged' in facts

const factShown = (value: unknown) =>
  typeof value === 'string' ? linked(value, recordAddress(value)) : JSON.stringify(value)

function Figures({ facts }: { facts: Facts }) {
  const others = Object.entries(isCharge(facts) ? { transaction: facts.transaction } : facts)
  return (
    <>
      {isCharge(facts) && <MoneyBar {...facts} />}
      <Pairs class="facts" pairs={others.map(([name, value]) => [name, factShown(value)])} />
    </>
  )
}

function requestNamed(id: string) {
  if (id.includes(' ')) return id
  const row = list.value.rows.find(row => row.call.id === id && isHeld(row))
  return [requestLink(id), row && ` (${row.call.method} ${row.call.path})`]
}
