/** Which sandbox a call is for, by its address, and the id of its answer. */
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { ApiError } from '../core/errors.js'
import { checkedName } from '../sandbox/names.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import { readable } from './answers.js'
import { Call } from './call.js'
import type { InnerClient } from './inner-client.js'
import { BASE, CONTROL, isUnder, pathOf } from './paths.js'

/** A routed request: its call, and why it cannot go on to its sandbox. */
export type RoutedRequest = { call: Call; refusal: ApiError | null }

const ORIGIN = /^https?:\/\/[^/?]*/i
const SANDBOX = '/sandbox/'
const PREFIX = /^(\/sandbox\/([^/?]*))(.*)$/s
/** Letters, digits, `-`, `.`, `_` and `~`, percent-encoded though they need not be: the address is the same as without. */
const NEEDLESS = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi

/** The url without an origin, with a path, and with nothing in the path encoded needlessly. */
function plain(url: string): string {
  const local = url.startsWith('/') ? url : url.replace(ORIGIN, '')
  const path = pathOf(local)
  if (path !== '' && !path.includes('%')) return local
  return `${path.replace(NEEDLESS, encoded => decodeURIComponent(encoded)) || '/'}${local.slice(path.length)}`
}

/** The prefix and the name of a sandbox in an address; the name is null for the sandbox at the base address. */
function prefixIn(url: string): { prefix: string; name: string | null; rest: string } {
  if (!url.startsWith(SANDBOX)) return { prefix: '', name: null, rest: url }
  const [, prefix = '', name = '', rest = ''] = PREFIX.exec(url) as RegExpExecArray
  return { prefix, name, rest: rest.startsWith('/') ? rest : `/${rest}` }
}

export class SandboxRouter {
  readonly #sandboxes: Sandboxes
  readonly #inside: InnerClient
  readonly #cors: boolean
  #ownAnswers = 0

  /** `cors` says whether pages of other sites may call the emulated API. */
  constructor(sandboxes: Sandboxes, inside: InnerClient, cors: boolean) {
    this.#sandboxes = sandboxes
    this.#inside = inside
    this.#cors = cors
  }

  /** The url without `/sandbox/NAME`, so that every sandbox has the same routes. */
  rewrite({ url }: IncomingMessage): string {
    return prefixIn(plain(url as string)).rest
  }

  /**
   * Makes the call of a request. Calls of the emulated API are numbered by their sandbox, which is made when it is named for the first time, and stays
   * when the call's path and key are right; whether a control call makes its sandbox depends on the call, and `sandboxOf` looks then.
   */
  route(request: FastifyRequest): RoutedRequest {
    const { prefix, name } = prefixIn(plain(request.originalUrl))
    const { url } = request
    const inner = this.#inside.find(request.raw)
    const base = `${prefix}${BASE}`
    const own = (refusal: ApiError | null = null): RoutedRequest => ({
      call: new Call(request, { id: `ctl_${++this.#ownAnswers}`, sandbox: this.#sandboxes.main, base, origin: 'control' }),
      refusal
    })
    const isOverview = pathOf(url) === '/'
    if (isUnder(CONTROL, url) || (isOverview && name === null)) return own()
    try {
      const sandbox = inner?.sandbox ?? this.#named(name, request)
      if (sandbox === null) return own()
      const call = new Call(request, { id: sandbox.nextRequestId(), sandbox, base, origin: inner?.origin ?? 'client' })
      if (inner !== undefined) inner.call = call
      return { call, refusal: null }
    } catch (error) {
      return own(error as ApiError)
    }
  }

  /** The sandbox that a control call is for; one that `makes` it gets a new one where there is none. Errors: as of `Sandboxes.use` and `find`. */
  sandboxOf({ originalUrl, call }: FastifyRequest, { makes, namesOthers }: { makes: boolean; namesOthers: boolean }): Sandbox {
    const { name } = prefixIn(plain(originalUrl))
    // before the start scenario is loaded there is no other sandbox, and only health is asked for
    if (name === null || !call.sandbox.isLoaded) return call.sandbox
    checkedName(name, readable(name))
    return makes ? this.#sandboxes.use(name) : this.#sandboxes.find(name, { namesOthers })
  }

  /** The sandbox with a name. A call outside the API makes none: null where there is none, or where it asks for the overview. */
  #named(name: string | null, request: FastifyRequest): Sandbox | null {
    if (name === null) return this.#sandboxes.main
    checkedName(name, readable(name))
    const { url } = request
    if (!isUnder(BASE, url)) return pathOf(url) === '/' ? null : (this.#sandboxes.get(name) ?? null)
    return this.#isOtherSite(request) ? this.#sandboxes.find(name, { namesOthers: false }) : this.#sandboxes.use(name)
  }

  /** Whether a page of another site makes a browser send the call without asking: an image or a form of it. */
  #isOtherSite({ headers }: FastifyRequest): boolean {
    return headers['sec-fetch-site'] === 'cross-site' && !(this.#cors && headers['sec-fetch-mode'] === 'cors')
  }
}
