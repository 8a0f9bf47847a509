/** What control calls show of a sandbox as a whole. */
import type { Clock } from '../core/clock.js'
import { isoOf } from '../core/instants.js'
import { BASE, CONTROL, controlOfBase } from '../core/paths.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { FAMILIES } from '../store/store.js'

/** The links of the overview, apart from schemas and settings. */
const LINKS = 'health scenarios state script clock snapshots requests coverage findings run metrics sandboxes openapi.json docs'.split(' ')

export const clockShown = (clock: Clock) => ({ now: isoOf(clock.now()), running: clock.running })

export function overviewOf({ scenario, settings, clock, store, requests }: Sandbox, base: string) {
  const own = controlOfBase(base)
  return {
    scenario,
    seed: settings.seed,
    clock: clockShown(clock),
    calls: requests,
    counts: Object.fromEntries(FAMILIES.map(family => [family, store[family].size])),
    links: {
      api: base,
      ...Object.fromEntries(LINKS.map(name => [name.replace(/\.json$/, ''), `${own}/${name}`])),
      schemas: ['fixture', 'scenario', 'script'].map(kind => `${own}/schema/${kind}.json`),
      settings: `${own}/settings`,
      assumptions: `${own}/assumptions`
    }
  }
}

/** None for the sandbox at the base address. */
export function listed({ name, scenario, store, requests, inFlight }: Sandbox) {
  if (name === null) return []
  const address = `/sandbox/${name}`
  return [{ name, api: `${address}${BASE}`, control: `${address}${CONTROL}`, scenario: scenario.name, records: store.size, requests, in_flight: inFlight }]
}
