/** The views by the first part of their address. */
import type { ComponentType } from 'preact'
import type { IconName } from '../components/icon.js'
import { Page as Data } from './data/index.js'
import { Page as Evidence } from './evidence/index.js'
import { Page as Requests } from './requests/index.js'
import { Page as Scenario } from './scenario/index.js'
import { Page as Settings } from './settings/index.js'

type Entry = { title: string; icon: IconName; Page: ComponentType }

export const VIEWS = {
  requests: { title: 'Requests', icon: 'requests', Page: Requests },
  evidence: { title: 'Tests & evidence', icon: 'evidence', Page: Evidence },
  data: { title: 'Data', icon: 'data', Page: Data },
  scenario: { title: 'Scenario', icon: 'scenario', Page: Scenario },
  settings: { title: 'Settings', icon: 'settings', Page: Settings }
} as const satisfies Record<string, Entry>

export type ViewName = keyof typeof VIEWS
