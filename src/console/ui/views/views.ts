/** The views by the first part of their address. All but the first load when they are first shown. */
import { view as calls } from './calls/index.js'
import type { View } from './view.js'

type Entry = { title: string; load: () => Promise<View> }

export const VIEWS = {
  calls: { title: 'Calls', load: async () => calls },
  data: { title: 'Data', load: async () => (await import('./data/index.js')).view },
  behaviour: { title: 'Behaviour', load: async () => (await import('./behaviour/index.js')).view },
  evidence: { title: 'Evidence', load: async () => (await import('./evidence/index.js')).view }
} as const satisfies Record<string, Entry>

export type ViewName = keyof typeof VIEWS
