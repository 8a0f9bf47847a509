/** Plays requests as clients would. Time passes only when all that are on their way wait. */
import { setImmediate } from 'node:timers/promises'
import { BASE } from '../core/paths.js'
import { refuse } from '../engine/answers.js'
import type { Exchange } from '../engine/exchange.js'
import {
  arrive,
  askScript,
  close,
  countRequest,
  decode,
  enter,
  formIn,
  perform
} from '../engine/execute.js'
import { answerSeen, requestOf } from '../engine/play.js'
import { answerByScript, breakAnswer, isAnswer, retractUnapplied } from '../engine/scripted.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Action, Fault } from '../scenario/script.js'
import type { StepAnswer, StepCall } from '../scenario/steps.js'
import { SAYS } from './sentences.js'

/** Until `at` ms of the play have passed; infinite where only another request lets it go on. */
type Waiting = { at: number; wake: (goesOn: boolean) => void }

export class Player {
  readonly #sandbox: Sandbox
  #onTheirWay = 0
  #passed = 0
  readonly #waiting = new Set<Waiting>()

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox
  }

  /** Several are sent at once if the caller does not wait in between. */
  readonly play = async (call: StepCall): Promise<StepAnswer> => {
    this.#onTheirWay++
    const answer = await this.#played(call)
    this.#onTheirWay--
    return answer
  }

  async #played(call: StepCall): Promise<StepAnswer> {
    const sandbox = this.#sandbox
    const { body, ...request } = requestOf(call)
    const exchange = arrive(sandbox, { ...request, base: BASE })
    try {
      enter(exchange)
      decode(exchange, formIn(body ?? '', exchange))
      const action = askScript(exchange)
      if (action !== null && !(await this.#waited(action, exchange)))
        return this.#end(exchange, 'hang')
      if (action !== null && isAnswer(action)) answerByScript(exchange, action)
      else perform(exchange, action !== null)
    } catch (error) {
      refuse(exchange, error)
    }
    breakAnswer(exchange)
    retractUnapplied(exchange)
    return this.#end(exchange, faultSeen(exchange))
  }

  /** Records a request. Returns what its client saw. */
  #end(exchange: Exchange, fault: Fault | null): StepAnswer {
    const answer =
      fault === null || fault === 'malformed_body'
        ? answerSeen(exchange)
        : { status: 0, body: { error: { message: SAYS.no_response(SAYS[fault]()) } }, fault }
    countRequest(exchange)
    close(exchange, fault === null, 0)
    this.#sandbox.evidence.record(exchange)
    return answer
  }

  async #waited({ id, delay, entry: { data } }: Action, exchange: Exchange): Promise<boolean> {
    const { hold } = data
    if (hold !== undefined) {
      const { goesOn, leave, longest } = this.#sandbox.gates.arrive(id, hold, exchange)
      const waiting = this.#wait(longest ?? Number.POSITIVE_INFINITY, leave)
      const isGoingOn = await goesOn
      this.#waiting.delete(waiting)
      if (!isGoingOn) return false
    }
    if (delay > 0) await new Promise(resolve => this.#wait(delay, resolve))
    return true
  }

  #wait(ms: number, wake: Waiting['wake']): Waiting {
    const waiting = { at: this.#passed + ms, wake }
    this.#waiting.add(waiting)
    setImmediate().then(() => this.#passTime())
    return waiting
  }

  /** The request that waits shortest goes on, when all wait; one that waits in vain is given up. */
  #passTime(): void {
    if (this.#waiting.size < this.#onTheirWay || this.#waiting.size === 0) return
    const next = [...this.#waiting].reduce((one, other) => (other.at < one.at ? other : one))
    this.#waiting.delete(next)
    const goesOn = next.at < Number.POSITIVE_INFINITY
    if (goesOn) {
      if (this.#sandbox.clock.running) this.#sandbox.setClock({ by: next.at - this.#passed })
      this.#passed = next.at
    }
    next.wake(goesOn)
    setImmediate().then(() => this.#passTime())
  }
}

/** A response without a body cannot be truncated or malformed, so it does not arrive at all. */
function faultSeen({ outcome: { fault }, length }: Exchange): Fault | null {
  return length === 0 && (fault === 'truncated_body' || fault === 'malformed_body')
    ? 'empty_response'
    : fault
}
