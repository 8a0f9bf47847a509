/** A view: each has a folder whose `index.tsx` exports one as `view`. */
import type { ComponentType } from 'preact'
import type { Shortcut } from '../app/keyboard.js'

export type View = {
  Page: ComponentType
  /** Shortcuts that its components add, for the help of the other views. */
  keys?: readonly Pick<Shortcut, 'key' | 'about'>[]
}
