/**
 * Scenarios: what is loaded, what else can be, snapshots, and an editor for documents of your own.
 */
import { Parts } from '../../app/parts.js'
import { Editor } from './editor.js'
import { Gallery } from './gallery.js'
import './scenarios.css'

const TABS = {
  gallery: { title: 'Gallery', Content: Gallery },
  editor: { title: 'Editor', Content: Editor }
}

export const Page = () => <Parts label="Parts of the scenarios" parts={TABS} first="gallery" />
