/**
 * The worker: one thread for work that would delay requests. Its jobs run in order, each with a
 * budget of time and memory; exceeding it ends the thread, never the process.
 */
import { getHeapStatistics } from 'node:v8'
import { Worker as Thread } from 'node:worker_threads'
import { ApiError } from '../core/errors.js'
import type { Settings } from '../core/settings.js'
import { Shares } from '../core/shares.js'
import type { Reply } from './thread.js'
import { Turns } from './turns.js'

/**
 * `does` begins the sentences about a job, such as `Reading the document`; `advice` says what to do
 * if it takes too much memory.
 */
export type Task = { does: string; advice: string }
/**
 * Asks the thread a question; `transfer` is memory to hand over instead of copying it. Errors: the
 * refusals of the thread.
 */
export type Ask = (question: object, transfer?: ArrayBuffer[]) => Promise<unknown>
type Asked = { resolve: (reply: Reply) => void; reject: (error: unknown) => void }
/** Runs jobs of one sandbox. */
export type Jobs = {
  /** Errors: `limit_reached` if there is no memory for more in the sandbox. */
  requireRoom: () => void
  /**
   * Runs a job when it is its turn. An aborted signal ends it with the signal's reason.
   * Errors: those of the job; `load_limit`; `document_too_large` if the thread takes too long or
   * too much memory; `not_ready` if the emulator stops.
   */
  run: <T>(task: Task, signal: AbortSignal, job: (ask: Ask) => Promise<T>) => Promise<T>
  /**
   * Runs a piece of a longer job; other jobs have their turns between the pieces. Errors: as of
   * `run`, without `load_limit`.
   */
  runPiece: <T>(task: Task, signal: AbortSignal, job: (ask: Ask) => Promise<T>) => Promise<T>
}

/** The script of the thread; the built one is a file of the same name beside the bundle. */
const SCRIPT = new URL('../worker-script.js', import.meta.url)
const MEBIBYTE = 1_048_576
/** Maximum memory of the thread, in MiB; a lower limit of the whole process takes precedence. */
const MAX_MEMORY = 1024
/** How long an idle thread is kept, in milliseconds. */
const IDLE = 5000

export class Worker {
  readonly #data: object
  /** Maximum time for one response of the thread, in milliseconds. */
  readonly #time: number
  #thread: Thread | undefined
  #idle: NodeJS.Timeout | undefined
  #hasEnded = false
  readonly #asked = new Map<number, Asked>()
  #nextId = 1
  readonly #turns: Turns
  readonly #requireRoom: (sandbox: object) => void

  /**
   * `data` is given to the thread when it starts; `requireRoom` throws if there is no memory for
   * more in a sandbox.
   */
  constructor(data: object, settings: Settings, requireRoom: (sandbox: never) => void = () => {}) {
    this.#data = data
    this.#requireRoom = requireRoom as (sandbox: object) => void
    this.#time = settings['limits.load_time']
    this.#turns = new Turns(
      new Shares(
        { what: 'large documents', setting: 'limits.loads', refusal: { code: 'load_limit' } },
        settings
      )
    )
  }

  /** The jobs of a sandbox, which take turns with those of other sandboxes. */
  jobsOf(sandbox: object): Jobs {
    return {
      requireRoom: () => this.#requireRoom(sandbox),
      run: (task, signal, job) =>
        this.#turns.run(sandbox, () => this.#runNow(task, signal, job), signal),
      runPiece: (task, signal, job) =>
        this.#turns.wait(sandbox, () => this.#runNow(task, signal, job), signal)
    }
  }

  /** Ends the thread for good, and refuses jobs that are waiting or come later. */
  async end(): Promise<void> {
    this.#hasEnded = true
    await this.#stop(stopping())
  }

  async #runNow<T>(task: Task, signal: AbortSignal, job: (ask: Ask) => Promise<T>): Promise<T> {
    const stop = () => void this.#stop(signal.reason)
    signal.addEventListener('abort', stop)
    clearTimeout(this.#idle)
    try {
      return await job((question, transfer) => this.#ask(task, question, transfer))
    } finally {
      signal.removeEventListener('abort', stop)
      this.#thread?.unref()
      this.#idle = setTimeout(() => void this.#stop(stopping()), IDLE).unref()
    }
  }

  async #ask(
    { does, advice }: Task,
    question: object,
    transfer: ArrayBuffer[] = []
  ): Promise<unknown> {
    if (this.#hasEnded) throw stopping()
    this.#thread ??= this.#start()
    this.#thread.ref()
    const id = this.#nextId++
    const late = setTimeout(
      () =>
        void this.#stop(
          tooLarge(`${does} takes longer than limits.load_time allows: ${this.#time} ms`)
        ),
      this.#time
    )
    const reply = await new Promise<Reply>((resolve, reject) => {
      this.#asked.set(id, {
        resolve,
        reject: error =>
          reject(
            error instanceof OutOfMemory ? tooLarge(`${does} ${error.message}: ${advice}`) : error
          )
      })
      this.#thread?.postMessage({ id, question }, transfer)
    }).finally(() => clearTimeout(late))
    if ('refusal' in reply) throw new ApiError(reply.refusal.code, reply.refusal as never)
    if ('defect' in reply) throw new Error(reply.defect)
    return reply.answer
  }

  #start(): Thread {
    const limit = Math.min(MAX_MEMORY, Math.floor(getHeapStatistics().heap_size_limit / MEBIBYTE))
    const thread = new Thread(SCRIPT, {
      workerData: this.#data,
      resourceLimits: { maxOldGenerationSizeMb: limit }
    })
    thread.on('message', ({ id, reply }: { id: number; reply: Reply }) => {
      const asked = this.#asked.get(id)
      this.#asked.delete(id)
      asked?.resolve(reply)
    })
    thread.on('error', (error: NodeJS.ErrnoException) => {
      if (thread === this.#thread)
        void this.#stop(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new OutOfMemory(limit) : error)
    })
    return thread
  }

  async #stop(reason: unknown): Promise<void> {
    clearTimeout(this.#idle)
    const thread = this.#thread
    this.#thread = undefined
    const asked = [...this.#asked.values()]
    this.#asked.clear()
    for (const { reject } of asked) reject(reason)
    await thread?.terminate()
  }
}

/** The thread exceeded its memory, in MiB. */
class OutOfMemory extends Error {
  constructor(limit: number) {
    super(`takes more than ${limit} MiB of memory`)
  }
}

const stopping = () => new ApiError('not_ready', { message: 'The emulator is stopping.' })
const tooLarge = (message: string) =>
  new ApiError('document_too_large', { message: `${message}. Nothing was changed.` })
