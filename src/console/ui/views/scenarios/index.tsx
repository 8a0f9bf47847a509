/** Scenarios: what is loaded, what else can be, snapshots, and an editor for documents of your own. */
import { choiceIn, route } from '../../app/route.js'
import { Choices } from '../../components/links.js'
import type { View } from '../view.js'
import { Editor } from './editor.js'
import { Gallery } from './gallery.js'
import './scenarios.css'

const TABS = { gallery: { title: 'Gallery', Content: Gallery }, editor: { title: 'Editor', Content: Editor } } as const

function Page() {
  const chosen = choiceIn(TABS, route.value.path[0], 'gallery')
  const { Content } = TABS[chosen]
  const choices = Object.entries(TABS).map(([name, { title }]) => [name, title, { path: [name] }] as const)
  return (
    <section class="page scenarios">
      <Choices class="tab-links" label="Parts of the scenarios" current="page" choices={choices} chosen={chosen} />
      <Content />
    </section>
  )
}

export const view: View = { Page }
