/**
 * Evidence: expectations and findings, what each test did, coverage of the rules, and the
 * assumptions that responses relied on.
 */
import type { ComponentType } from 'preact'
import { choiceIn, narrowed, route } from '../../app/route.js'
import { overview } from '../../app/store.js'
import { Card } from '../../components/layout.js'
import { Choices, Tabs } from '../../components/links.js'
import { Read } from '../../components/states.js'
import { control, type FindingsReport, type Scope } from '../../control/client.js'
import { Expectations } from '../expectations.js'
import { Assumptions } from './assumptions.js'
import { Findings } from './findings.js'
import { Rules } from './rules.js'
import { Tests } from './tests.js'

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
