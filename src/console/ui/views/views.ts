/**
 * The views by the first part of their address. All but the first load when they are first shown.
 */
import type { ComponentType } from 'preact'
import type { IconName } from '../components/icon.js'
import { Page } from './requests/index.js'

type Entry = { title: string; icon: IconName; load: () => Promise<ComponentType> }

export const VIEWS = {
  requests: { title: 'Requests', icon: 'requests', load: async () => Page },
  data: { title: 'Data', icon: 'data', load: async () => (await import('./data/index.js')).Page },
  scenarios: {
    title: 'Scenarios',
    icon: 'scenarios',
    load: async () => (await import('./scenarios/index.js')).Page
  },
  behaviour: {
    title: 'Behaviour',
    icon: 'behaviour',
    load: async () => (await import('./behaviour/index.js')).Page
  },
  evidence: {
    title: 'Evidence',
    icon: 'evidence',
    load: async () => (await import('./evidence/index.js')).Page
  },
  sandboxes: {
    title: 'Sandboxes',
    icon: 'sandboxes',
    load: async () => (await import('./sandboxes/index.js')).Page
  }
} as const satisfies Record<string, Entry>

export type ViewName = keyof typeof VIEWS
