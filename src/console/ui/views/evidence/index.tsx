/**
 * Evidence: findings, coverage of the rules, the assumptions that responses relied on, and what
 * each test did.
 */
import type { ComponentType } from 'preact'
import { choiceIn, narrowed, route } from '../../app/route.js'
import { ButtonLink } from '../../components/button.js'
import { Choices, Tabs } from '../../components/links.js'
import { Read } from '../../components/states.js'
import { control, type Scope } from '../../control/client.js'
import { controlOf } from '../../control/place.js'
import { Assumptions } from './assumptions.js'
import { Findings } from './findings.js'
import { NamedRequest } from './request-link.js'
import { Rules } from './rules.js'
import { Tests } from './tests.js'
import './evidence.css'

type Of = { scope: Scope }

/** What is read, and how it is shown. */
const part = <T,>(
  title: string,
  read: (scope: Scope) => Promise<T>,
  Shown: ComponentType<Of & { data: T }>
) => ({
  title,
  Content: ({ scope }: Of) => (
    <Read from={() => read(scope)} by={scope} isEvidence>
      {data => <Shown data={data} scope={scope} />}
    </Read>
  )
})
const callsIn = async (scope: Scope) =>
  (await (scope === 'run' ? control('GET /run') : control('GET /'))).calls

const TABS = {
  findings: part('Findings', scope => control('GET /findings', { query: { scope } }), Findings),
  rules: part('Rules', scope => control('GET /coverage', { query: { scope } }), Rules),
  assumptions: part(
    'Assumptions',
    scope => Promise.all([control('GET /assumptions', { query: { scope } }), callsIn(scope)]),
    Assumptions
  ),
  tests: part('Tests', () => control('GET /run'), Tests)
}

export function Page() {
  const { path, query } = route.value
  const tab = choiceIn(TABS, path[0], 'findings')
  const { Content } = TABS[tab]
  const scope: Scope = query.scope === 'run' ? 'run' : 'sandbox'
  const scopes = [
    ['sandbox', 'This sandbox', narrowed({ scope: undefined })] as const,
    ['run', 'The whole run', narrowed({ scope: 'run' })] as const
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
            ? 'Everything since the emulator started: all sandboxes, across loads and resets.'
            : 'The requests of this sandbox since its last load or reset.'}
        </p>
        <div class="row end">
          <ButtonLink
            icon="download"
            text="Report of the run"
            href={`${controlOf()}/run?format=html`}
            download="report.html"
          />
        </div>
      </div>
      {scope === 'run' && <NamedRequest />}
      <Content scope={scope} />
    </section>
  )
}
