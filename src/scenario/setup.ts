/** The name, settings and clock of a scenario. */
import { type Clock, type ClockStart, MACHINE_CLOCK } from '../core/clock.js'
import { instantOf } from '../core/instants.js'
import { maskedThroughout } from '../core/redaction.js'
import { flattened, type GivenSettings, settingsInForce } from '../core/settings.js'
import type { ScenarioData } from './shape/scenario.js'

/** Settings that override a scenario's. */
export type Launch = {
  flag: GivenSettings
  environment: GivenSettings
}
export type SetupContext = {
  launch: Launch
  clockFor: (start: ClockStart) => Clock
  seed?: number | undefined
}
export type Setup = {
  scenario: { name: string; description: string | null }
  clock: ClockStart
  settings: GivenSettings
}

export function setupIn(
  data: ScenarioData,
  name: string,
  { launch, clockFor, seed = data.seed }: SetupContext
) {
  const scenario = maskedThroughout({
    name: data.name ?? name,
    description: data.description ?? null
  })
  const settings = { ...flattened(data.settings ?? {}), ...(seed !== undefined && { seed }) }
  const clock = clockStartOf(data.clock)
  const setup: Setup = { scenario, clock, settings }
  const inForce = settingsInForce({ ...launch, scenario: settings })
  return { setup, now: clockFor(clock).now(), ...inForce }
}

/** A bare instant and `running: false` freeze the clock. */
function clockStartOf(clock: ScenarioData['clock']): ClockStart {
  if (clock === undefined) return MACHINE_CLOCK
  if (typeof clock === 'string') return { at: instantOf(clock), running: false }
  return { at: instantOf(clock.now), running: clock.running ?? true }
}
