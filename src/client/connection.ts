/** A way to an emulator, in process or over HTTP. */
import { withNextTick } from './next-tick.js'
import { ERRORS } from './sentences.js'

/** `path` is what follows the address; `timeout` is for the whole response, in milliseconds. */
export type SentRequest = {
  method: string
  path: string
  headers: Record<string, string>
  body?: string
  timeout?: number
}
/** Names of headers are in lower case. */
export type ReceivedAnswer = { status: number; headers: Record<string, string>; text: string }
export type Transport = {
  send: (request: SentRequest) => Promise<ReceivedAnswer>
  close: () => Promise<void>
}

/** Headers of the connection, which say nothing about the response. */
const OF_CONNECTION: readonly string[] = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'date'
]

export class Connection {
  isClosed = false

  /**
   * `address`: as in `http://localhost:4010`, or a proxy's with the path that leads to the emulator;
   * `token`: the value of `control_token`, if set.
   */
  constructor(
    readonly address: string,
    private readonly transport: Transport,
    readonly token: string | null
  ) {}

  /** Sends a request. Errors: `closed`, `no_answer`. */
  async send(request: SentRequest): Promise<ReceivedAnswer> {
    if (this.isClosed) throw ERRORS.closed(`${request.method} ${request.path}`)
    try {
      const answer = await withNextTick(() =>
        this.transport.send({
          ...request,
          headers: { 'user-agent': 'commerce-emulator', ...request.headers }
        })
      )
      // closing ends a wait early, so its response covers only a part of the time
      if (this.isClosed) throw ERRORS.closedMeanwhile()
      return answer
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      // several addresses of a name give a code alone
      throw ERRORS.noResponse(
        `${request.method} ${this.address}${request.path}`,
        error as Error,
        message || String(code)
      )
    }
  }

  async close(): Promise<void> {
    this.isClosed = true
    await withNextTick(this.transport.close)
  }
}

export const joinedHeaders = (headers: {
  readonly [name: string]: number | string | readonly string[] | undefined
}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !OF_CONNECTION.includes(name))
      .map(([name, value]) => [name, [value].flat().join(', ')])
  )

/** JSON as a value, any other text as it is; null for none. */
export function contentOf(text: string) {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
