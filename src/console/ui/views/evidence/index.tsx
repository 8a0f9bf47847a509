/** Evidence: findings, coverage of the rules, the assumptions that calls relied on, and what each test did. */
import { useResource } from '../../app/resource.js'
import { go, hrefOf, route } from '../../app/route.js'
import { Loaded } from '../../components/states.js'
import { Tabs } from '../../components/tabs.js'
import { api, type RunReport, type Scope } from '../../control/client.js'
import { controlOf } from '../../control/place.js'
import type { View } from '../view.js'
import { Assumptions } from './assumptions.js'
import { NamedCall } from './call-link.js'
import { Findings } from './findings.js'
import { Rules } from './rules.js'
import { Tests } from './tests.js'
import './evidence.css'

const TABS = [
  { id: 'findings', title: 'Findings' },
  { id: 'rules', title: 'Rules' },
  { id: 'assumptions', title: 'Assumptions' },
  { id: 'tests', title: 'Tests' }
] as const
type TabId = (typeof TABS)[number]['id']

const SCOPES: readonly (readonly [Scope, string])[] = [
  ['sandbox', 'This sandbox'],
  ['run', 'The whole run']
]

function Page() {
  const { path, query } = route.value
  const [named = 'findings'] = path
  const tab: TabId = TABS.find(({ id }) => id === named)?.id ?? 'findings'
  const scope: Scope = query.scope === 'run' ? 'run' : 'sandbox'
  const ofScope = scope === 'run' ? { scope } : {}
  return (
    <section class="page evidence">
      <h1 class="hidden">Evidence</h1>
      <Tabs label="Evidence" tabs={TABS} chosen={tab} onChoose={id => go({ path: [id], query: ofScope })}>
        <div class="row view-bar">
          {tab !== 'tests' && (
            <nav class="chips" aria-label="Whose evidence">
              {SCOPES.map(([id, title]) => (
                <a
                  key={id}
                  aria-current={scope === id ? 'true' : undefined}
                  href={hrefOf({ path: [tab], query: { ...query, scope: id === 'run' ? id : undefined } })}
                >
                  {title}
                </a>
              ))}
            </nav>
          )}
          <p class="hint">
            {scope === 'run' || tab === 'tests'
              ? 'Everything since the emulator was started: all sandboxes, over loads and resets.'
              : 'What came in this sandbox since its last load or reset.'}
          </p>
          <div class="row end">
            <a href={`${controlOf()}/run?format=html`} download="report.html">
              Download the report of the run
            </a>
          </div>
        </div>
        {scope === 'run' && <NamedCall />}
        {tab === 'findings' && <Findings scope={scope} />}
        {tab === 'rules' && <Rules scope={scope} />}
        {tab === 'assumptions' && <Assumptions scope={scope} />}
        {tab === 'tests' && <OfRun>{run => <Tests run={run} />}</OfRun>}
      </Tabs>
    </section>
  )
}

function OfRun({ children }: { children: (run: RunReport) => preact.ComponentChildren }) {
  const resource = useResource(api.run)
  return <Loaded resource={resource}>{children}</Loaded>
}

export const view: View = { Page }
