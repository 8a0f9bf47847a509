/** Why a call was answered so: the chain of decisions, with the figures that each saw. */

import { useId } from 'preact/hooks'
import { OPERATIONS, operationNamed } from '../../../../reference/operations.js'
import { RULES } from '../../../../reference/rules.js'
import { hrefOf } from '../../app/route.js'
import { linked, listed, RequestLink } from '../../components/links.js'
import { NearMisses } from '../../components/near-misses.js'
import { Pairs } from '../../components/table.js'
import type { ExplainedCall } from '../../control/client.js'
import { controlOf, sandbox } from '../../control/place.js'
import { recordAddress } from '../record-address.js'
import { list } from './calls.js'

function docsOf(on: string | null): string {
  const id = on === null ? null : operationNamed(on)
  return `${controlOf()}/docs${id === null ? '' : `#/${OPERATIONS[id].family}/${id}`}`
}

/** Undefined for what is not a rule. */
export const textOfRule = (rule: string | null | undefined): string | undefined =>
  rule != null && rule in RULES ? RULES[rule as keyof typeof RULES].text : undefined

/** The id of a rule, with its text as a tooltip, and a link to the API page at the operation. */
function RuleName({ rule, on }: { rule: string; on: string | null }) {
  const id = useId()
  return (
    <span class="rule-name">
      <a href={docsOf(on)} aria-describedby={id}>
        {rule}
      </a>
      <span role="tooltip" id={id}>
        {textOfRule(rule)}
      </span>
    </span>
  )
}

type Judged = Pick<ExplainedCall, 'why' | 'on' | 'refusal' | 'script'>

export function Why({ call }: { call: Judged }) {
  const { why, on, refusal, script } = call
  const broken = why.rules.find(({ verdict }) => verdict === 'broken')
  const assumption = refusal !== null && refusal.rule === null ? refusal.assumption : null
  return (
    <div class="why stack">
      <p class="verdict">
        {broken && (
          <>
            Refused by <RuleName rule={broken.rule} on={on} />: {broken.text}.
          </>
        )}
        {!broken && refusal && (
          <>
            Refused with <code>{refusal.code}</code>
            {assumption !== null && `, as ${assumption} assumes: ${why.assumptions.find(({ assumption: id }) => id === assumption)?.topic ?? ''}`}.
          </>
        )}{' '}
        {script && (
          <>
            The script entry <a href={hrefOf({ view: 'behaviour', path: ['script'] })}>{script.name ?? script.id}</a> was applied to it
            {script.fault && `: ${script.fault}`}.
          </>
        )}
        {!broken &&
          !refusal &&
          !script &&
          (why.rules.length === 0 ? 'It matched no operation of the reference.' : `It kept the ${why.rules.length} rules below.`)}
      </p>
      {why.changed_by.length > 0 && (
        <p>
          The records in question were last changed by{' '}
          {listed(why.changed_by, id => (
            <CallName id={id} />
          ))}
          .
        </p>
      )}
      <ol class="chain">
        {why.rules.map(({ rule, verdict, text, facts }) => (
          <li key={rule} class={verdict}>
            <span class={`badge ${verdict === 'kept' ? 'good' : 'bad'}`}>{verdict}</span>
            <RuleName rule={rule} on={on} />
            <span class="text">{text}</span>
            {facts && <Pairs class="facts" pairs={Object.entries(facts).map(([name, value]) => [name, factShown(value)])} />}
          </li>
        ))}
      </ol>
      <NearMisses near={why.near_misses} begins="It nearly matched" shown={what => what} />
      {why.assumptions.length > 0 && (
        <details>
          <summary>{`The response relies on ${why.assumptions.length} ${why.assumptions.length === 1 ? 'assumption' : 'assumptions'}`}</summary>
          <ul class="assumptions">
            {why.assumptions.map(({ assumption: id, topic }) => (
              <li key={id}>
                <b>{id}</b> {topic}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

/** The id of a record is a link. */
const factShown = (value: unknown) => (typeof value === 'string' ? linked(value, recordAddress(value)) : JSON.stringify(value))

/** A link to a call, with its method and path where they are known. */
function CallName({ id }: { id: string }) {
  const row = list.value.rows.find(({ call, sandbox: its }) => call.id === id && its === sandbox.value)
  return (
    <>
      <RequestLink id={id} />
      {row && ` (${row.call.method} ${row.call.path})`}
    </>
  )
}
