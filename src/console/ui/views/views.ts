/** The views by the first part of their address. All but the first load when they are first shown. */
import type { IconName } from '../components/icon.js'
import { view as requests } from './requests/index.js'
import type { View } from './view.js'

type Entry = { title: string; icon: IconName; load: () => Promise<View> }

export const VIEWS = {
  requests: { title: 'Requests', icon: 'requests', load: async () => requests },
  data: { title: 'Data', icon: 'data', load: async () => (await import('./data/index.js')).view },
  scenarios: { title: 'Scenarios', icon: 'scenarios', load: async () => (await import('./scenarios/index.js')).view },
  behaviour: { title: 'Behaviour', icon: 'behaviour', load: async () => (await import('./behaviour/index.js')).view },
  evidence: { title: 'Evidence', icon: 'evidence', load: async () => (await import('./evidence/index.js')).view },
  sandboxes: { title: 'Sandboxes', icon: 'sandboxes', load: async () => (await import('./sandboxes/index.js')).view }
} as const satisfies Record<string, Entry>

export type ViewName = keyof typeof VIEWS
