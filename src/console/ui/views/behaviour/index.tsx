/** Behaviour: script entries, gates, the clock and settings. */
import { choiceIn, route } from '../../app/route.js'
import { Tabs } from '../../components/links.js'
import './behaviour.css'
import { ClockTab } from './clock.js'
import { ScriptTab } from './script.js'
import { SettingsTab } from './settings.js'

const TABS = {
  script: { title: 'Script and gates', Content: ScriptTab },
  clock: { title: 'Clock', Content: ClockTab },
  settings: { title: 'Settings', Content: SettingsTab }
} as const

export function Page() {
  const chosen = choiceIn(TABS, route.value.path[0], 'script')
  const { Content } = TABS[chosen]
  return (
    <section class="page behaviour">
      <Tabs label="Parts of the behaviour" tabs={TABS} chosen={chosen} targetOf={name => ({ path: [name] })} />
      <Content />
    </section>
  )
}
