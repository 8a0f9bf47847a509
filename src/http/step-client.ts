/** Makes the calls of a scenario's steps through the API itself, in a sandbox that no client can address. */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { FORM_TYPE } from '../core/form.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Play } from '../scenario/steps.js'
import { BASE } from './paths.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Makes calls in a sandbox from inside the process, for the steps of a scenario. */
    playIn: (sandbox: Sandbox) => Play
  }
}

export class StepClient {
  /** Sandboxes by the address that an injected call seems to come from; no socket has such an address. */
  readonly #sandboxes = new Map<string, Sandbox>()
  #next = 1

  /** The sandbox that an injected step is meant for; undefined for every other call. */
  sandboxOf({ socket }: IncomingMessage): Sandbox | undefined {
    return this.#sandboxes.size === 0 ? undefined : this.#sandboxes.get(socket.remoteAddress as string)
  }

  /** Makes calls below the base address in a sandbox. */
  playIn(app: FastifyInstance, sandbox: Sandbox): Play {
    return async ({ method, path, query, key, form }) => {
      const mark = `step-${this.#next++}`
      this.#sandboxes.set(mark, sandbox)
      const call: InjectOptions = {
        method: method as NonNullable<InjectOptions['method']>,
        url: `${BASE}${path}${query === '' ? '' : `?${query}`}`,
        remoteAddress: mark,
        headers: {
          ...(key !== null && { authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` }),
          ...(form !== null && { 'content-type': FORM_TYPE })
        },
        ...(form !== null && { payload: form })
      }
      const answer = await app.inject(call).finally(() => this.#sandboxes.delete(mark))
      return { status: answer.statusCode, body: answer.payload === '' ? null : JSON.parse(answer.payload) }
    }
  }
}
