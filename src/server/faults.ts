/** Faults and holds of a script, on the connection. */
import { setMaxListeners } from 'node:events'
import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { ResponseHeaders } from '../engine/outcome.js'
import type { Response } from '../engine/response.js'
import type { Gates } from '../sandbox/gates.js'

export class Faults {
  /** Ends what hangs or is held. */
  readonly #waiting = new Set<() => void>()
  readonly #stop = new AbortController()
  /** Whether connections close after their response. */
  isStopping = false

  constructor() {
    setMaxListeners(0, this.#stop.signal)
  }

  /** Loses a response as its fault says. A hang ends when the state is replaced. */
  lose(
    { raw, request }: FastifyReply,
    { outcome: { fault }, payload }: Response,
    headers: ResponseHeaders
  ): void {
    const { replacing } = request.arrival.sandbox
    const { socket } = request.raw
    if (fault === 'hang' && !this.isStopping && !replacing.aborted) {
      const end = () => raw.destroy()
      replacing.addEventListener('abort', end)
      this.#waiting.add(end)
      raw.once('close', () => {
        this.#waiting.delete(end)
        replacing.removeEventListener('abort', end)
      })
      return
    }
    // an injected request has no connection
    if (fault === 'hang' || !(socket instanceof Socket)) raw.destroy()
    else if (fault === 'connection_reset') socket.resetAndDestroy()
    else {
      const body = Buffer.from(String(payload))
      if (fault === 'truncated_body' && body.length > 0) {
        raw.writeHead(raw.statusCode, headers).flushHeaders()
        raw.write(body.subarray(0, body.length / 2))
      }
      socket.destroySoon()
    }
  }

  /** Waits until the state is replaced at most. Returns whether the emulator still runs. */
  async delay(milliseconds: number, replacing: AbortSignal): Promise<boolean> {
    const signal = AbortSignal.any([this.#stop.signal, replacing])
    await wait(milliseconds, null, { signal }).catch(() => {})
    return !this.#stop.signal.aborted
  }

  /** Holds until the gate opens, the client leaves, the time is over, or the emulator stops. */
  async hold(
    { goesOn, leave, longest }: ReturnType<Gates['arrive']>,
    raw: ServerResponse
  ): Promise<boolean> {
    const giveUp = () => leave(false)
    if (this.isStopping || raw.destroyed) giveUp()
    this.#waiting.add(giveUp)
    raw.once('close', giveUp)
    const timer = longest === null ? undefined : setTimeout(leave, longest, true)
    const isGoingOn = await goesOn
    clearTimeout(timer)
    raw.off('close', giveUp)
    this.#waiting.delete(giveUp)
    return isGoingOn
  }

  cut(): void {
    this.isStopping = true
    for (const end of this.#waiting) end()
  }

  end(): void {
    this.#stop.abort()
  }
}
