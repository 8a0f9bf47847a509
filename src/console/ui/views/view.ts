/** A view: each has a folder whose `index.tsx` exports one as `view`. */
import type { ComponentType } from 'preact'

export type View = { Page: ComponentType }
