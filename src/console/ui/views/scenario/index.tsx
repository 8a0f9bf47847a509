/**
 * The scenario: what is loaded and expected, its script and clock, what else can be loaded, and an
 * editor.
 */
import { Parts } from '../../app/parts.js'
import { ClockTab } from './clock.js'
import { Editor } from './editor.js'
import { Library } from './library.js'
import { Loaded } from './loaded.js'
import { ScriptTab } from './script.js'

const TABS = {
  loaded: { title: 'Loaded', Content: Loaded },
  script: { title: 'Script', Content: ScriptTab },
  clock: { title: 'Clock', Content: ClockTab },
  library: { title: 'Library', Content: Library },
  editor: { title: 'Editor', Content: Editor }
}

export const Page = () => <Parts label="Parts of the scenario" parts={TABS} first="loaded" />
