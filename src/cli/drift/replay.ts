/** Repeats requests in an emulator without script, and compares. */
import { BASE, withoutSlashes } from '../../core/paths.js'
import type { Step } from '../../core/places.js'
import type { GivenSettings } from '../../core/settings.js'
import { valueAt } from '../../core/templates.js'
import { readingOf } from '../../engine/admit.js'
import { clientResponse, execute, requestOf } from '../../engine/play.js'
import { runNow, start } from '../../engine/run.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { isStatus } from '../../scenario/match/counts.js'
import type { StepCall, StepOutcome, StepResponse } from '../../scenario/steps.js'
import { FAMILIES } from '../../store/store.js'
import { SAYS } from '../sentences.js'
import {
  type Difference,
  fieldOf,
  formProblem,
  IdPairs,
  isMade,
  responseDifferences,
  type Sides
} from './compare.js'
import { ServiceRecords } from './service-records.js'

export type PlayedStep = { place: readonly Step[]; label: string; outcome: StepOutcome }
/** Each of `settings` alone explains it. */
export type Deviation = Difference & {
  played: PlayedStep
  isWrong: boolean
  settings: GivenSettings[]
}
export type ReplayOptions = {
  base: string
  /** By names of the scenario, those of the service. */
  variables: ReadonlyMap<string, string>
  keyHere: (key: string) => string
}

export class Replay {
  readonly #sandbox: Sandbox
  readonly #keyHere: ReplayOptions['keyHere']
  readonly #sides: Sides
  readonly #records: ServiceRecords
  readonly deviations: Deviation[] = []

  constructor(sandbox: Sandbox, { base, variables, keyHere }: ReplayOptions) {
    const { store: loaded } = sandbox.requireLoaded()
    const isKnown = (id: string) =>
      [loaded, sandbox.store].some(store => FAMILIES.some(family => store[family].get(id)))
    const pairs = new IdPairs(isKnown)
    for (const [name, value] of variables) if (value !== '' && isKnown(name)) pairs.set(value, name)
    const { 'shapes.list': list, 'shapes.error': error } = sandbox.settings
    const bases = { here: BASE, there: withoutSlashes(new URL(base).pathname) }
    this.#sandbox = sandbox
    this.#keyHere = keyHere
    this.#sides = { pairs, bases, list, error }
    this.#records = new ServiceRecords(sandbox, this.#sides)
  }

  get pairs(): IdPairs {
    return this.#sides.pairs
  }

  async add(played: PlayedStep): Promise<void> {
    const { call, response: there } = played.outcome
    const sandbox = this.#sandbox
    const records = this.#records
    const sides = this.#sides
    const { wrong, others } = await records.learn(call, there)
    const id = fieldOf(there.body, 'id')
    // what the run creates is created at the time of the service
    const created = Date.parse(String(fieldOf(there.body, 'created')))
    if (records.isMade(id) && !Number.isNaN(created))
      sandbox.setClock({ at: created, running: false })
    const before = sandbox.snapshot()
    const response = this.#execute(call)
    const { reading } = response
    const here = clientResponse(response)
    const isScripted = isAsScripted(played.outcome, here, sandbox.script.listed().length > 0)
    const unknown = this.#unknownIn(call, there, here)
    // the state follows that of the service, and what a list left out comes back
    const isSame = !isScripted && unknown === null && isMade(there) === isMade(here)
    if (!isSame || there.status === 0 || call.method === 'GET') sandbox.restore(before)
    if (isScripted || there.status === 0) return
    if (unknown !== null) return this.#note(played, [{ steps: [], message: unknown }], false)
    if (isMade(here)) records.allowMore(reading, call, there.body, here.body)
    if (records.isMade(id) && isMade(here))
      sides.pairs.match(String(id), String(fieldOf(here.body, 'id')))
    this.#note(played, wrong.length > 0 ? wrong : responseDifferences(there, here, sides), true)
    this.#note(played, others, false)
  }

  #note(played: PlayedStep, differences: readonly Difference[], isWrong: boolean): void {
    for (const difference of differences)
      this.deviations.push({ ...difference, played, isWrong, settings: [] })
  }

  #execute(call: StepCall) {
    const mapped = (text: string) =>
      text.replace(/(?<=[=/])[\w-]+(?=[&/]|$)/g, this.#sides.pairs.here)
    const { path, query, form, key } = call
    const request = requestOf({
      ...call,
      path: mapped(path),
      query: mapped(query),
      form: form && mapped(form),
      key: key && this.#keyHere(key)
    })
    if (call.method !== 'GET') return execute(this.#sandbox, request, { given: null })
    const reading = readingOf(this.#sandbox, { ...request, base: BASE })
    const refused = start(reading)
    if (refused !== null) return refused
    // only after its key is known, since the Account of the key may be left out too
    if (reading.operation) this.#records.leaveOutUnseen(reading.operation)
    return runNow(reading, null, null)
  }

  /** Why they are not compared: one side lacks a record of the other. */
  #unknownIn(call: StepCall, there: StepResponse, here: StepResponse): string | null {
    const missing = this.#records.missingRemotely(call, there, here)
    if (missing !== null) return SAYS.has_no(there.status, missing)
    const code = valueAt(this.#sides.error, here.body, '$code')
    return isMade(there) && code === 'cursor_unknown' ? SAYS.other_cursor() : null
  }
}

function isAsScripted(
  { step, problems, response }: StepOutcome,
  here: StepResponse,
  hasScript: boolean
): boolean {
  if (problems.length > 0) return false
  const { fault, status } = step.expect ?? {}
  if (fault !== undefined) return true
  const isOfScript = hasScript && status !== undefined && !isStatus(status, here.status)
  return isOfScript && formProblem(response) === null
}
