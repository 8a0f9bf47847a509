/** What a view is. Each has a folder whose `index.tsx` exports one as `view`. */
import type { ComponentType } from 'preact'
import type { Shortcut } from '../app/keyboard.js'

export type View = {
  /** What it shows; the place below the view and the query are in `route`. */
  Page: ComponentType
  /** Shortcuts that its components add, for the help of the other views. */
  keys?: readonly Pick<Shortcut, 'key' | 'about'>[]
}
