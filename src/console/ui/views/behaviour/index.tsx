/** Behaviour: the scenario, its variables, snapshots, the clock, script entries, gates and settings. */
import { choiceIn, go, route } from '../../app/route.js'
import { Tabs } from '../../components/tabs.js'
import type { View } from '../view.js'
import './behaviour.css'
import { ClockTab } from './clock.js'
import { ScenarioTab } from './scenario.js'
import { ScriptTab } from './script.js'
import { SettingsTab } from './settings.js'

const TABS = {
  scenario: { title: 'Scenario', Content: ScenarioTab },
  clock: { title: 'Clock', Content: ClockTab },
  script: { title: 'Script and gates', Content: ScriptTab },
  settings: { title: 'Settings', Content: SettingsTab }
} as const

function Page() {
  const chosen = choiceIn(TABS, route.value.path[0], 'scenario')
  const { Content } = TABS[chosen]
  return (
    <section class="page behaviour">
      <h1 class="hidden">Behaviour</h1>
      <Tabs label="Parts of the behaviour" tabs={TABS} chosen={chosen} onChoose={id => go({ path: [id] })}>
        <div class="parts stack">
          <Content />
        </div>
      </Tabs>
    </section>
  )
}

export const view: View = { Page }
