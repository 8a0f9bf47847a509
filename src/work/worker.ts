/** Runs jobs that would make requests wait, one at a time; each asks threads of its own. */
import { once } from 'node:events'
import { getHeapStatistics } from 'node:v8'
import { type MessagePort, Worker as Thread } from 'node:worker_threads'
import { ApiError, type ErrorCode, type Problem } from '../core/errors.js'

export type Ask = (question: object) => Promise<unknown>
/** A recorded scenario, or a report of a run, to write from `json`. */
export type Text = { write: 'scenario' | 'html' | 'junit' | 'markdown'; json: string }
type Refusal = { code: ErrorCode; message: string; problems?: readonly Problem[] | undefined }
type Reply = { result?: unknown; refusal?: Refusal; defect?: string | undefined }

const SCRIPT = new URL('../worker-script.js', import.meta.url)
const MEBIBYTE = 1_048_576
/** Of a thread, in MiB; a lower limit of the process takes precedence. */
const MAX_MEMORY = 1024

export class Worker {
  readonly #ending = new AbortController()
  #last: Promise<unknown> = Promise.resolve()

  /** Ends the job that runs, and refuses those that wait or come later. */
  end(): Promise<unknown> {
    this.#ending.abort(new ApiError('not_ready', { message: 'The emulator is stopping.' }))
    return this.#last
  }

  /**
   * Runs a job after those before it. Errors: the reason of the signal; those of the job;
   * `document_too_large` for too much memory; `not_ready` if the emulator stops.
   */
  run<T>(signal: AbortSignal, job: (ask: Ask) => Promise<T>): Promise<T> {
    const ending = AbortSignal.any([signal, this.#ending.signal])
    const done = this.#last.then(() => {
      ending.throwIfAborted()
      const ended = once(ending, 'abort').then(() => Promise.reject(ending.reason))
      return Promise.race([ended, job(question => askThread(ending, question))])
    })
    this.#last = done.catch(() => {})
    return done
  }
}

async function askThread(signal: AbortSignal, question: object): Promise<unknown> {
  const limit = Math.min(MAX_MEMORY, Math.floor(getHeapStatistics().heap_size_limit / MEBIBYTE))
  const thread = new Thread(SCRIPT, { resourceLimits: { maxOldGenerationSizeMb: limit } })
  thread.on('error', () => {}).postMessage(question)
  const [reply] = await once(thread, 'message', { signal })
    .finally(() => thread.terminate())
    .catch(error => {
      if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error
      const message = `This takes more than ${limit} MiB of memory; load it in parts, or as JSON. Nothing was changed.`
      throw new ApiError('document_too_large', { message })
    })
  const { result, refusal, defect }: Reply = reply
  if (refusal) throw new ApiError(refusal.code, refusal)
  if (defect) throw new Error(defect)
  return result
}

export function serveQuestions<Q>(
  port: MessagePort,
  resultOf: (question: Q) => Promise<unknown>
): void {
  port.on('message', async (question: Q) =>
    port.postMessage(await resultOf(question).then(result => ({ result }), refused))
  )
}

function refused(error: Error): Reply {
  if (!(error instanceof ApiError)) return { defect: error.stack }
  const { code, message, problems } = error
  return { refusal: { code, message, problems } }
}
