/** Scenarios: what is loaded, what else can be, snapshots, and an editor for documents of your own. */
import { choiceIn, route } from '../../app/route.js'
import { Tabs } from '../../components/links.js'
import { Editor } from './editor.js'
import { Gallery } from './gallery.js'
import './scenarios.css'

const TABS = { gallery: { title: 'Gallery', Content: Gallery }, editor: { title: 'Editor', Content: Editor } } as const

export function Page() {
  const chosen = choiceIn(TABS, route.value.path[0], 'gallery')
  const { Content } = TABS[chosen]
  return (
    <section class="page scenarios">
      <Tabs label="Parts of the scenarios" tabs={TABS} chosen={chosen} targetOf={name => ({ path: [name] })} />
      <Content />
    </section>
  )
}
