/** Plays the steps of a scenario through the API itself, in a world that no client can address. */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { FORM_TYPE } from '../core/form.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Play } from '../scenario/steps.js'

export class Player {
  /** Worlds by the address that an injected call seems to come from; no socket has such an address. */
  readonly #worlds = new Map<string, Sandbox>()
  #next = 1

  /** The world that an injected step is meant for; undefined for every other call. */
  worldOf({ socket }: IncomingMessage): Sandbox | undefined {
    return this.#worlds.get(socket.remoteAddress as string)
  }

  /** Makes calls below `base` in a world. */
  playIn(app: FastifyInstance, base: string, sandbox: Sandbox): Play {
    return async ({ method, path, query, key, form }) => {
      const mark = `step-${this.#next++}`
      this.#worlds.set(mark, sandbox)
      const call: InjectOptions = {
        method: method as NonNullable<InjectOptions['method']>,
        url: `${base}${path}${query === '' ? '' : `?${query}`}`,
        remoteAddress: mark,
        headers: {
          ...(key !== null && { authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` }),
          ...(form !== null && { 'content-type': FORM_TYPE })
        },
        ...(form !== null && { payload: form })
      }
      const answer = await app.inject(call).finally(() => this.#worlds.delete(mark))
      return { status: answer.statusCode, body: answer.payload === '' ? null : JSON.parse(answer.payload) }
    }
  }
}
