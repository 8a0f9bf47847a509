/** Makes calls through the API itself in sandboxes that no client can address: the steps of a scenario, and trials on a copy of a sandbox. */
import type { IncomingMessage } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { basicAuthorization } from '../core/basic-authorization.js'
import { ApiError } from '../core/errors.js'
import { FORM_TYPE } from '../core/form.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Play } from '../scenario/steps.js'
import type { AnswerHeaders } from './answers.js'
import type { Call } from './call.js'
import { BASE } from './paths.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Makes calls in a sandbox from inside the process, for the steps of a scenario. */
    playIn: (sandbox: Sandbox) => Play
    /** Makes one call in a copy of a sandbox (`Sandbox.copy`), as a client would. Errors: `parameter_invalid` for a path that leads out of the API. */
    tryIn: (copy: Sandbox, call: TrialCall) => Promise<Trial>
  }
}

/** A call to try: its path begins below the base address, and may hold a query; the key is the user name of HTTP Basic. */
export type TrialCall = { method: string; path: string; key: string | null; form: string | null; headers?: Readonly<Record<string, string>>; base?: string }
/** The result of a trial: the call, redacted, and the headers of its answer. An answer that a script would lose is not lost here, and nothing waits. */
export type Trial = { call: Call; headers: AnswerHeaders }
/** A call from inside the process, on its way. */
type InnerCall = { readonly sandbox: Sandbox; readonly origin: 'step' | 'trial'; call?: Call }

/** Headers that say how an answer is sent, not what it says. */
const OF_TRANSPORT: readonly string[] = ['date', 'connection', 'content-length', 'keep-alive', 'transfer-encoding']

export class InnerClient {
  /** By the address that an injected call seems to come from; no socket has such an address. */
  readonly #calls = new Map<string, InnerCall>()
  #next = 1

  /** The call from inside the process that a request makes; undefined for every other request. */
  find({ socket }: IncomingMessage): InnerCall | undefined {
    return this.#calls.size === 0 ? undefined : this.#calls.get(socket.remoteAddress as string)
  }

  /** Makes calls below the base address in a sandbox. */
  playIn(app: FastifyInstance, sandbox: Sandbox): Play {
    return async ({ method, path, query, key, form }) => {
      const url = `${BASE}${path}${query === '' ? '' : `?${query}`}`
      const answer = await this.#inject(app, { sandbox, origin: 'step' }, { method, url, key, form })
      return { status: answer.statusCode, body: answer.payload === '' ? null : JSON.parse(answer.payload) }
    }
  }

  /** Makes a call below the base address in a copy of a sandbox. */
  async tryIn(app: FastifyInstance, copy: Sandbox, { method, path, key, form, headers = {}, base = BASE }: TrialCall): Promise<Trial> {
    const url = `${base}${path}`
    // a path with dots is shortened before it is sent
    if (!new URL(url, 'http://localhost').pathname.startsWith(`${base}/`))
      throw new ApiError('parameter_invalid', { message: `path: a path below the base address was expected, such as /refunds, not ${path}.`, param: 'path' })
    const inner: InnerCall = { sandbox: copy, origin: 'trial' }
    const answer = await this.#inject(app, inner, { method, url, key, form, headers })
    // the response closes, and with it the call, once it has been sent
    await setImmediate()
    const call = inner.call as Call
    call.redact()
    const said = Object.entries(answer.headers).filter(([name]) => !OF_TRANSPORT.includes(name))
    return { call, headers: Object.fromEntries(said) as AnswerHeaders }
  }

  async #inject(
    app: FastifyInstance,
    inner: InnerCall,
    { method, url, key, form, headers = {} }: Pick<TrialCall, 'method' | 'key' | 'form' | 'headers'> & { url: string }
  ): Promise<LightMyRequestResponse> {
    const mark = `inside-${this.#next++}`
    this.#calls.set(mark, inner)
    const call: InjectOptions = {
      method: method as NonNullable<InjectOptions['method']>,
      url,
      remoteAddress: mark,
      headers: {
        ...(key !== null && { authorization: basicAuthorization(key) }),
        ...(form !== null && { 'content-type': FORM_TYPE }),
        ...headers
      },
      ...(form !== null && { payload: form })
    }
    return app.inject(call).finally(() => this.#calls.delete(mark))
  }
}
