/** Behaviour: script entries, gates, the clock and settings. */
import { Parts } from '../../app/parts.js'
import './behaviour.css'
import { ClockTab } from './clock.js'
import { ScriptTab } from './script.js'
import { SettingsTab } from './settings.js'

const TABS = {
  script: { title: 'Script and gates', Content: ScriptTab },
  clock: { title: 'Clock', Content: ClockTab },
  settings: { title: 'Settings', Content: SettingsTab }
}

export const Page = () => <Parts label="Parts of the behaviour" parts={TABS} first="script" />
