/** Checks responses of an emulator under load, counts requests, and keeps problems. */
import { type Answer, type Client, clientOf } from './emulator.js'
import { foreignMarks } from './load.js'

/** Maximum kinds of problems to keep, the first of each; the rest are counted. */
const MOST = 20
const UNANSWERED_MS = 30_000

export class Watch {
  /** By their text without numbers. */
  readonly #problems = new Map<string, string>()
  readonly counts = new Map<string, number>()
  isOver = false
  /** The process was killed or is not running yet: connections break. */
  isDown = true
  isStarting = false

  get problems(): string[] {
    return [...this.#problems.values()]
  }

  count(what: string, by = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + by)
  }

  figure(what: string): number {
    return this.counts.get(what) ?? 0
  }

  wrong(...problems: string[]): void {
    this.count('problems', problems.length)
    for (const problem of problems) {
      const kind = problem.replaceAll(/\d+/g, '0').slice(0, 100)
      if (this.#problems.size < MOST && !this.#problems.has(kind)) this.#problems.set(kind, problem)
    }
  }

  /** Checks a request without a response: connections may break while the process is down. */
  broken(error: unknown): void {
    const { code, message, stack } = error as NodeJS.ErrnoException
    const isConnection = code !== undefined || /whole/.test(message)
    if (!isConnection || !this.isDown) this.wrong(String(stack))
  }

  async repeat(act: () => Promise<unknown>): Promise<void> {
    while (!this.isOver) {
      try {
        await act()
      } catch (error) {
        this.broken(error)
        return
      }
    }
  }

  /** A client whose responses are checked; `nth` is the number in its marks. */
  client(port: number, name: string | null, nth: number | null = null): Client {
    const { call, close } = clientOf(port, name)
    return {
      call: async (on, body, type) => {
        const late = setTimeout(
          () => this.wrong(`${name ?? 'base'}: ${on} is not answered in ${UNANSWERED_MS} ms`),
          UNANSWERED_MS
        )
        try {
          const answer = await call(on, body, type)
          this.count(on.includes(' /_control') ? 'control calls' : 'API calls')
          this.see(on, answer, { name, nth })
          return answer
        } finally {
          clearTimeout(late)
        }
      },
      close
    }
  }

  see(
    on: string,
    answer: Pick<Answer, 'status' | 'text' | 'body'>,
    { name, nth }: { name: string | null; nth: number | null }
  ): void {
    const { status, text, body } = answer
    const shown = `${name ?? 'base'}: ${on} was answered ${status}: ${text.slice(0, 300)}`
    const isStarting =
      status === 503 &&
      this.isStarting &&
      (body.error?.code === 'not_ready' || body.status === 'starting')
    if (status >= 500 && !isStarting) this.wrong(shown)
    else if (
      status >= 400 &&
      !isStarting &&
      !isError(body) &&
      !(status === 409 && body.holds === false)
    )
      this.wrong(`without the shape of an error, ${shown}`)
    const foreign = foreignMarks(text, nth)
    if (foreign.length > 0)
      this.wrong(`${name ?? 'base'}: ${on} shows ${foreign.slice(0, 5)} of another sandbox`)
  }
}

const isError = ({ error }: Answer['body']): boolean =>
  ['type', 'code', 'message', 'request_id'].every(
    name => typeof error?.[name] === 'string' && error[name] !== ''
  )
