/** Evidence: findings, coverage of the rules, the assumptions that responses relied on, and what each test did. */
import { choiceIn, narrowed, route } from '../../app/route.js'
import { ButtonLink } from '../../components/button.js'
import { Choices, Tabs } from '../../components/links.js'
import type { Scope } from '../../control/client.js'
import { controlOf } from '../../control/place.js'
import { Assumptions } from './assumptions.js'
import { Findings } from './findings.js'
import { NamedRequest } from './request-link.js'
import { Rules } from './rules.js'
import { Tests } from './tests.js'
import './evidence.css'

const TABS = {
  findings: { title: 'Findings', Content: Findings },
  rules: { title: 'Rules', Content: Rules },
  assumptions: { title: 'Assumptions', Content: Assumptions },
  tests: { title: 'Tests', Content: Tests }
} as const

export function Page() {
  const { path, query } = route.value
  const tab = choiceIn(TABS, path[0], 'findings')
  const { Content } = TABS[tab]
  const scope: Scope = query.scope === 'run' ? 'run' : 'sandbox'
  const scopes = [
    ['sandbox', 'This sandbox', { ...narrowed({ scope: undefined }), path: [tab] }],
    ['run', 'The whole run', { ...narrowed({ scope: 'run' }), path: [tab] }]
  ] as const
  return (
    <section class="page evidence">
      <Tabs label="Parts of the evidence" tabs={TABS} chosen={tab} targetOf={name => ({ path: [name], query: scope === 'run' ? { scope } : {} })} />
      <div class="row view-bar">
        {tab !== 'tests' && <Choices label="Whose evidence" choices={scopes} chosen={scope} />}
        <p class="hint">
          {scope === 'run' || tab === 'tests'
            ? 'Everything since the emulator started: all sandboxes, across loads and resets.'
            : 'The requests of this sandbox since its last load or reset.'}
        </p>
        <div class="row end">
          <ButtonLink icon="download" text="Report of the run" href={`${controlOf()}/run?format=html`} download="report.html" />
        </div>
      </div>
      {scope === 'run' && <NamedRequest />}
      <Content scope={scope} />
    </section>
  )
}
