/** Plays requests. Time passes only while all of them wait. */
import { setImmediate } from 'node:timers/promises'
import { BASE } from '../core/paths.js'
import { clientResponse, requestOf } from '../engine/play.js'
import type { Routed } from '../engine/reading.js'
import type { Response } from '../engine/response.js'
import { run } from '../engine/run.js'
import { breakResponse } from '../engine/scripted.js'
import { finish } from '../evidence/entry.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Action, Fault } from '../scenario/script.js'
import type { StepCall, StepResponse } from '../scenario/steps.js'
import { SAYS } from './sentences.js'

/** Until `at` ms of the play; infinite if only another request can end it. */
type Waiting = { at: number; wake: (goesOn: boolean) => void }

export class Player {
  #onTheirWay = 0
  #passed = 0
  readonly #waiting = new Set<Waiting>()

  constructor(private readonly sandbox: Sandbox) {}

  /** Requests are concurrent if the caller does not wait in between. */
  readonly play = async (call: StepCall): Promise<StepResponse> => {
    const { sandbox } = this
    this.#onTheirWay++
    const request = { ...requestOf(call), base: BASE }
    const response = breakResponse(await run(sandbox, request, { pass: this.#waitFor }))
    this.#onTheirWay--
    const fault = faultSeen(response)
    sandbox.evidence.record(finish(response, fault === null, 0), response.reading)
    return fault === null || fault === 'malformed_body'
      ? clientResponse(response)
      : { status: 0, body: { error: { message: SAYS.no_response(fault) } }, fault }
  }

  readonly #waitFor = async (action: Action, { id, operation }: Routed): Promise<boolean> => {
    const { hold } = action.entry.data
    if (hold !== undefined) {
      const call = { id, operation, action }
      const { goesOn, leave, longest } = this.sandbox.gates.arrive(action.id, hold, call)
      const waiting = this.#wait(longest ?? Number.POSITIVE_INFINITY, leave)
      const isGoingOn = await goesOn
      this.#waiting.delete(waiting)
      if (!isGoingOn) return false
    }
    if (action.delay > 0) await new Promise(resolve => this.#wait(action.delay, resolve))
    return true
  }

  #wait(ms: number, wake: Waiting['wake']): Waiting {
    const waiting = { at: this.#passed + ms, wake }
    this.#waiting.add(waiting)
    this.#passTimeSoon()
    return waiting
  }

  #passTimeSoon() {
    setImmediate().then(() => this.#passTime())
  }

  /** The shortest wait ends first; an endless one is given up. */
  #passTime(): void {
    if (this.#waiting.size < this.#onTheirWay || this.#waiting.size === 0) return
    const next = [...this.#waiting].reduce((a, b) => (b.at < a.at ? b : a))
    this.#waiting.delete(next)
    const goesOn = next.at < Number.POSITIVE_INFINITY
    if (goesOn) {
      if (this.sandbox.clock.running) this.sandbox.setClock({ by: next.at - this.#passed })
      this.#passed = next.at
    }
    next.wake(goesOn)
    this.#passTimeSoon()
  }
}

/** A response without a body cannot be malformed, so it is lost. */
function faultSeen({ outcome: { name, fault, length } }: Response): Fault | null {
  if (name === 'lost_before') return 'hang'
  return length === 0 && (fault === 'truncated_body' || fault === 'malformed_body')
    ? 'empty_response'
    : fault
}
