/**
 * Evidence: expectations and findings, what each test did, coverage of the rules, and the
 * assumptions that responses relied on.
 */
import type { ComponentType } from 'preact'
import { choiceIn, hrefOf, narrowed, route } from '../../app/route.js'
import { overview } from '../../app/store.js'
import { Card, Empty, Meter, Read, WideTable } from '../../components/layout.js'
import { Choices, linked, listed, namedLink, Tabs } from '../../components/links.js'
import {
  type CoverageReport,
  control,
  type FindingsReport,
  type RunReport,
  type Scope,
  type ShownAssumption
} from '../../control/client.js'
import { Expectations } from '../expectations.js'
import { testAddress } from '../record-address.js'
import { Badge } from '../requests/marks.js'
import { percentOf, RULE_STATES, type RuleRow } from './words.js'

const part = <T,>(
  title: string,
  read: (scope: Scope) => Promise<T>,
  Shown: ComponentType<{ data: T }>
) => ({
  title,
  Content: ({ scope }: { scope: Scope }) => (
    <Read from={() => read(scope)} by={scope} isEvidence>
      {data => <Shown data={data} />}
    </Read>
  )
})
const callsIn = async (scope: Scope) =>
  (await (scope === 'run' ? control('GET /run') : control('GET /'))).calls

export function Rules({ data: report }: { data: CoverageReport }) {
  const state = choiceIn(RULE_STATES, route.value.query.state, 'all')
  const choices = Object.entries(RULE_STATES).map(([name, isIn]) => {
    const target = narrowed({ state: name === 'all' ? undefined : name })
    return [name, `${name} ${report.rules.filter(isIn).length}`, target] as const
  })
  return (
    <>
      <p>
        <b>{report.percent}%</b> of the rule outcomes were seen: {report.seen} of {report.possible}.
        A rule that requests can both pass and violate has two.
      </p>
      <Meter max={report.possible} value={report.seen} label="Rule outcomes that were seen" />
      <Choices label="Rules that are shown" choices={choices} chosen={state} />
      <WideTable
        label="Rules"
        heads={['Rule', 'Passed', 'Violated', 'What it says']}
        rows={report.rules.filter(RULE_STATES[state]).map(cellsOf)}
      />
    </>
  )
}

function cellsOf({ rule, text, satisfied, violated, keepable, violable }: RuleRow) {
  const isSeen = satisfied + violated > 0
  const counted = (kind: string, count: number, isPossible: boolean) => (
    <span key={kind} class={count > 0 ? kind : 'faint'} title={isPossible ? '' : 'Cannot happen'}>
      {isPossible ? count : '–'}
    </span>
  )
  return [
    linked(rule, isSeen ? hrefOf({ view: 'requests', query: { q: `rule:${rule}` } }) : undefined),
    counted('good', satisfied, keepable),
    counted('bad', violated, violable),
    <span key="text" class={isSeen ? '' : 'faint'}>
      {text}
    </span>
  ]
}

const SHOWN_CALLS = 3

type Data = readonly [{ data: readonly ShownAssumption[] }, calls: number]

export const Assumptions = ({ data: [{ data }, calls] }: { data: Data }) => (
  <>
    <p class="hint">
      An assumption is how the emulator responds where the reference is silent.{' '}
      {data.flatMap(({ id, standing }) => (standing ? [id] : [])).join(', ')} apply to every
      response, so they are not counted.
    </p>
    <ul class="lines">
      {data
        .filter(({ standing }) => !standing)
        .sort((one, other) => other.times - one.times)
        .map(row => (
          <Assumption key={row.id} {...row} calls={calls} />
        ))}
    </ul>
  </>
)

type Props = ShownAssumption & { calls: number }

const Assumption = ({ id, topic, times, requests, calls, ...rest }: Props) => (
  <li class={`assumption ${times === 0 ? 'unused' : ''}`} aria-label={`${id} ${topic}`}>
    <details>
      <summary>{`${id} ${topic}`}</summary>
      <p>{rest.default}</p>
      <p class="hint">
        {listed(Object.keys(rest.settings), name => [
          linked(name, hrefOf({ view: 'settings', query: { q: name } })),
          ': ',
          <code key="value">{JSON.stringify(rest.settings[name])}</code>
        ])}
      </p>
      {requests.length > 0 && (
        <p class="hint">For example {listed(requests.slice(0, SHOWN_CALLS), namedLink)}</p>
      )}
    </details>
    <Meter
      max={Math.max(calls, 1)}
      value={times}
      label={`Share of requests that relied on ${id}`}
    />
    <span class="number">
      {times === 0 ? 'not used' : `${times} of ${calls}, ${percentOf(times, calls)}`}
    </span>
  </li>
)

const SEVERITIES = {
  error: { kind: 'bad', title: 'Money or data is at risk' },
  warning: { kind: 'warn', title: 'Nothing is lost, but the client can do better' }
}

export const Findings = ({ data: { data } }: { data: FindingsReport }) =>
  data.length === 0 ? (
    <p class="faint">
      No findings. A finding is a mistake of your client that its requests show, such as a payment
      that was sent again after its response was lost.
    </p>
  ) : (
    <ul class="lines">
      {data.map(found => (
        <Finding key={found.finding} {...found} />
      ))}
    </ul>
  )

const Finding = ({
  finding,
  severity,
  about,
  advice,
  times,
  requests
}: FindingsReport['data'][number]) => (
  <li class="stack">
    <h3>
      {finding} <Badge text={severity} {...SEVERITIES[severity]} /> <Badge text={`×${times}`} />
    </h3>
    <p>
      {about} {advice}
    </p>
    <p class="faint">{listed(requests, namedLink)}</p>
  </li>
)

const HEADS = ['Test', 'Requests', 'Refused', 'Rules passed', 'Rules violated', 'Findings']

export function Tests({ data: { tests, omitted } }: { data: RunReport }) {
  const isNamed = tests.some(({ test }) => test !== null)
  if (tests.length === 0) return <Empty title="No requests yet" icon="evidence" />
  return (
    <>
      <p class="hint">
        {!isNamed &&
          'No request has named its test yet. Send the header Test-Name with each request to tell the tests apart. '}
        {omitted.by_test > 0 && `${omitted.by_test} requests of other tests are not counted here.`}
      </p>
      <WideTable label="What each test did" heads={HEADS} rows={tests.map(cellsOfTest)} />
    </>
  )
}

const cellsOfTest = ({
  test,
  calls,
  refused,
  kept,
  broken,
  findings
}: RunReport['tests'][number]) => [
  test === null ? <i key="test">no test</i> : linked(test, testAddress(test)),
  calls,
  refused,
  <span key="passed" title={kept.join(', ')}>
    {kept.length}
  </span>,
  broken.join(', ') || 'none',
  findings.map(({ finding, times }) => `${finding} ×${times}`).join(', ') || 'none'
]

const TABS = {
  summary: part('Summary', scope => control('GET /findings', { query: { scope } }), Summary),
  tests: part('Tests', () => control('GET /run'), Tests),
  rules: part('Rules', scope => control('GET /coverage', { query: { scope } }), Rules),
  assumptions: part(
    'Assumptions',
    scope => Promise.all([control('GET /assumptions', { query: { scope } }), callsIn(scope)]),
    Assumptions
  )
}

function Summary(props: { data: FindingsReport }) {
  return (
    <div class="stack">
      <Card id="evidence-expected" title={`Expectations of ${overview.value?.scenario.name}`}>
        <Expectations />
      </Card>
      <Card id="evidence-findings" title="Findings">
        <Findings {...props} />
      </Card>
    </div>
  )
}

export function Page() {
  const { path, query } = route.value
  const tab = choiceIn(TABS, path[0], 'summary')
  const { Content } = TABS[tab]
  const scope: Scope = query.scope === 'run' ? 'run' : 'sandbox'
  const scopes = [
    ['sandbox', 'This sandbox', narrowed({ scope: undefined })] as const,
    ['run', 'Whole run', narrowed({ scope: 'run' })] as const
  ]
  return (
    <section class="page">
      <Tabs
        label="Parts of the evidence"
        tabs={TABS}
        chosen={tab}
        targetOf={name => ({ path: [name], query: scope === 'run' ? { scope } : {} })}
      />
      <div class="row">
        {tab !== 'tests' && <Choices label="Whose evidence" choices={scopes} chosen={scope} />}
        <p class="hint">
          {scope === 'run' || tab === 'tests'
            ? 'Since the emulator started: all sandboxes, across loads and resets.'
            : 'This sandbox, since its last load or reset.'}
        </p>
      </div>
      <Content scope={scope} />
    </section>
  )
}
