/** Expectations, findings, tests, rules and assumptions. */
import type { ComponentType } from 'preact'
import { choiceIn, hrefOf, route } from '../../app/route.js'
import { overview } from '../../app/store.js'
import { Card, Empty, Read, Table } from '../../components/layout.js'
import {
  chosenIn,
  linked,
  listed,
  QueryTabs,
  requestLink,
  Tabs,
  testAddress
} from '../../components/links.js'
import {
  type CoverageReport,
  control,
  type FindingsReport,
  type RunReport,
  type Scope,
  type ShownAssumption
} from '../../control/client.js'
import { Expectations } from '../expectations.js'
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
  const states = Object.entries(RULE_STATES).map(
    ([name, isIn]) => [name, { title: `${name} ${report.rules.filter(isIn).length}` }] as const
  )
  return (
    <>
      <p>
        <b>{report.percent}%</b> of the rule outcomes were seen: {report.seen} of {report.possible}.
        A rule that requests can both pass and violate has two outcomes.
      </p>
      <QueryTabs
        class="chips"
        label="Rules to show"
        tabs={Object.fromEntries(states)}
        name="state"
      />
      <Table
        label="Rules"
        heads={['Rule', 'Passed', 'Violated', 'What it says']}
        rows={report.rules.filter(RULE_STATES[chosenIn(RULE_STATES, 'state')]).map(cellsOf)}
      />
    </>
  )
}

function cellsOf({ rule, text, passed, violated, passable, violable }: RuleRow) {
  const isSeen = passed + violated > 0
  const counted = (kind: string, count: number, isPossible: boolean) => (
    <span key={kind} class={count > 0 ? kind : 'faint'}>
      {isPossible ? count : '–'}
    </span>
  )
  return [
    linked(rule, isSeen ? hrefOf({ view: 'requests', query: { q: `rule:${rule}` } }) : undefined),
    counted('good', passed, passable),
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
    <Table
      label="Assumptions"
      heads={['Assumption', 'Requests', 'What it says']}
      rows={data
        .filter(({ standing }) => !standing)
        .sort((a, b) => b.times - a.times)
        .map(row => cellsOfAssumption(row, calls))}
    />
  </>
)

const cellsOfAssumption = (
  { id, topic, times, requests, settings, default: says }: ShownAssumption,
  calls: number
) => [
  `${id} ${topic}`,
  <span key="times" class={`badge ${times > 0 ? 'good' : ''}`}>
    {times === 0 ? 'not used' : `${times} of ${calls}, ${percentOf(times, calls)}`}
  </span>,
  <>
    {says}{' '}
    <span class="hint">
      {listed(Object.keys(settings), name =>
        linked(name, hrefOf({ view: 'settings', query: { q: name } }))
      )}{' '}
      {listed(requests.slice(0, SHOWN_CALLS), requestLink)}
    </span>
  </>
]

/** Money or data is at risk, or else the client can do better. */
const SEVERITIES = { error: 'bad', warning: 'warn' }

export const Findings = ({ data: { data } }: { data: FindingsReport }) =>
  data.length === 0 ? (
    <p class="faint">
      No findings. A finding is a mistake of your client that its requests show, such as a payment
      that was sent again after its response was lost.
    </p>
  ) : (
    <ul class="lines">
      {data.map(finding => (
        <Finding key={finding.finding} {...finding} />
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
      {finding} <span class={`badge ${SEVERITIES[severity]}`}>{severity}</span>{' '}
      <span class="badge">×{times}</span>
    </h3>
    <p>
      {about} {advice}
    </p>
    <p class="faint">{listed(requests, requestLink)}</p>
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
      <Table label="What each test did" heads={HEADS} rows={tests.map(cellsOfTest)} />
    </>
  )
}

const cellsOfTest = ({
  test,
  calls,
  refused,
  passed,
  violated,
  findings
}: RunReport['tests'][number]) => [
  test === null ? <i key="test">no test</i> : linked(test, testAddress(test)),
  calls,
  refused,
  <span key="passed" title={passed.join(', ')}>
    {passed.length}
  </span>,
  violated.join(', ') || 'none',
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

const SCOPES = { sandbox: { title: 'This sandbox' }, run: { title: 'Whole run' } }

export function Page() {
  const tab = choiceIn(TABS, route.value.path[0], 'summary')
  const { Content } = TABS[tab]
  const scope: Scope = chosenIn(SCOPES, 'scope')
  return (
    <section class="page">
      <Tabs
        label="Parts of the evidence"
        tabs={TABS}
        chosen={tab}
        targetOf={name => ({ path: [name], query: scope === 'run' ? { scope } : {} })}
      />
      <div class="row">
        {tab !== 'tests' && (
          <QueryTabs class="chips" label="Scope of the evidence" tabs={SCOPES} name="scope" />
        )}
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
