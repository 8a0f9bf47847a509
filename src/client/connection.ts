/** A way to an emulator, in process or over HTTP. */
import { withNextTick } from './next-tick.js'
import { ERRORS } from './sentences.js'

/** `path` follows the address. */
export type SentRequest = {
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}
/** Names of headers are in lower case. */
export type ReceivedResponse = { status: number; headers: Record<string, string>; text: string }
export type Transport = {
  send: (request: SentRequest) => Promise<ReceivedResponse>
  close: () => Promise<void>
}

const CONNECTION_HEADERS = /^(connection|keep-alive|transfer-encoding|content-length|date)$/

export class Connection {
  isClosed = false

  /** The address may have a path; `token` is the value of `control_token`, if set. */
  constructor(
    readonly address: string,
    private readonly transport: Transport,
    readonly token: string | null
  ) {}

  /** Errors: `closed`, `no_answer`. */
  async send(request: SentRequest): Promise<ReceivedResponse> {
    if (this.isClosed) throw ERRORS.closed(`${request.method} ${request.path}`)
    try {
      const headers = { 'user-agent': 'commerce-emulator', ...request.headers }
      const response = await withNextTick(() => this.transport.send({ ...request, headers }))
      // a wait that closing has ended covers only part of the time
      if (this.isClosed) throw new Error('this emulator was closed before the response')
      return response
    } catch (error) {
      const address = `${request.method} ${this.address}${request.path}`
      throw ERRORS.noResponse(address, error as NodeJS.ErrnoException)
    }
  }

  async close(): Promise<void> {
    this.isClosed = true
    await withNextTick(this.transport.close)
  }
}

export const joinedHeaders = (headers: {
  readonly [name: string]: number | string | readonly string[] | undefined
}): Record<string, string> => {
  const joined: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    if (!CONNECTION_HEADERS.test(name)) joined[name] = [value].flat().join(', ')
  return joined
}

/** JSON as a value, other text as it is; null for an empty text. */
export function contentOf(text: string) {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
