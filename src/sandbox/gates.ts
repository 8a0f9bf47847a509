/** The gates where a script holds requests. */
import { setMaxListeners } from 'node:events'
import { durationOf } from '../core/instants.js'
import { nameOf, type OperationId } from '../reference/operations.js'
import { type Action, gateOf, type Hold, type Release } from '../scenario/script.js'

type Waiting = { id: string; operation: OperationId; go: (goesOn: boolean) => void }
type Gate = { isOpen: boolean; waiting: Waiting[] }

/** Any number of event streams and requests may listen to it. */
export function endable(): AbortController {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  return controller
}

export class Gates {
  readonly #gates = new Map<string, Gate>()
  readonly #ending = endable()

  get ending(): AbortSignal {
    return this.#ending.signal
  }

  isOpen(entry: string, hold: Hold): boolean {
    return this.#gate(gateOf(entry, hold)).isOpen
  }

  /** Waits at a closed gate until it opens or `leave` is called, `longest` ms at most. */
  arrive(
    entry: string,
    hold: Hold,
    { id, operation, action }: { id: string; operation: OperationId | null; action: Action | null }
  ) {
    const { until = Infinity, release = 'in_order' } = hold
    const gate = this.#gate(gateOf(entry, hold))
    let waiting!: Waiting
    const goesOn = new Promise<boolean>(go => {
      waiting = { id, operation: operation as OperationId, go }
    })
    const leave = (goesOn: boolean) => {
      if (goesOn && action && gate.waiting.includes(waiting)) action.isHeld = false
      gate.waiting = gate.waiting.filter(request => request !== waiting)
      waiting.go(goesOn)
    }
    gate.waiting.push(waiting)
    if (gate.waiting.length >= until) {
      const together = gate.waiting.splice(0)
      // the last request must wait too, so that all go on in order
      queueMicrotask(() => letGo(together, release))
    }
    return { goesOn, leave, longest: hold.for ? durationOf(hold.for) : null }
  }

  /** Opens a gate for good. Returns the ids of the requests that go on. */
  open(name: string, release: Release): string[] {
    const gate = this.#gate(name)
    gate.isOpen = true
    return letGo(gate.waiting.splice(0), release)
  }

  listed(names: readonly string[]) {
    return names.map(name => {
      const { isOpen = false, waiting = [] } = this.#gates.get(name) ?? {}
      const listed = waiting.map(({ id, operation }) => ({ id, on: nameOf(operation) }))
      return { name, open: isOpen, waiting: listed }
    })
  }

  /** Removes all gates but these; requests that wait there go on. */
  keep(names: readonly string[]): void {
    for (const name of this.#gates.keys()) {
      if (names.includes(name)) continue
      this.open(name, 'in_order')
      this.#gates.delete(name)
    }
  }

  /** Ends every wait; the requests do not go on. */
  end(reason?: Error): void {
    this.#ending.abort(reason)
    for (const { waiting } of this.#gates.values())
      for (const { go } of waiting.splice(0)) go(false)
  }

  #gate(name: string): Gate {
    const gate = this.#gates.get(name) ?? { isOpen: false, waiting: [] }
    this.#gates.set(name, gate)
    return gate
  }
}

function letGo(waiting: Waiting[], release: Release): string[] {
  if (release === 'reverse') waiting.reverse()
  for (const { go } of waiting) go(true)
  return waiting.map(({ id }) => id)
}
