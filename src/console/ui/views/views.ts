/**
 * The views by the first part of their address. All but the first load when they are first shown.
 */
import type { ComponentType } from 'preact'
import type { IconName } from '../components/icon.js'
import { Page } from './requests/index.js'

type Entry = { title: string; icon: IconName; load: () => Promise<ComponentType> }

export const VIEWS = {
  requests: { title: 'Requests', icon: 'requests', load: async () => Page },
  evidence: {
    title: 'Tests & evidence',
    icon: 'evidence',
    load: async () => (await import('./evidence/index.js')).Page
  },
  data: { title: 'Data', icon: 'data', load: async () => (await import('./data/index.js')).Page },
  scenario: {
    title: 'Scenario',
    icon: 'scenario',
    load: async () => (await import('./scenario/index.js')).Page
  },
  settings: {
    title: 'Settings',
    icon: 'settings',
    load: async () => (await import('./settings/index.js')).Page
  }
} as const satisfies Record<string, Entry>

export type ViewName = keyof typeof VIEWS
