/** The document worker: a thread in which large documents are read, so that no other call waits for that, and running out of memory ends only the worker. */
import { getHeapStatistics } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { ApiError } from '../core/errors.js'
import type { Step } from '../core/places.js'
import { type Settings, settingsInForce } from '../core/settings.js'
import { Shares } from '../core/shares.js'
import { Turns } from '../work/turns.js'
import type { Place } from './places.js'
import type { DocumentWorkerOptions, FirstStateHead, Job, Part, Question, Reply } from './worker-reader.js'

/** What a worker has read, handed over in parts that each take little time. */
export type Reading = {
  head: FirstStateHead | null
  parts: () => AsyncGenerator<Part, void>
  /** Where parts of the document are; while it is being read only. */
  locate: (places: readonly (readonly Step[])[]) => Promise<readonly (Place | null)[]>
}
/** Where the large documents of one sandbox are read: `DocumentWorker.read`. */
export type Reader = { read: <T>(job: Job, signal: AbortSignal, receive: (reading: Reading) => Promise<T>) => Promise<T> }
type Asked = { resolve: (reply: Reply) => void; reject: (error: unknown) => void }

/** The script of the worker; the built one is a file of the same name beside the bundle. */
const SCRIPT = new URL('./worker-script.js', import.meta.url)
const MEBIBYTE = 1_048_576
/** The most memory of the worker, in MiB; a limit of the whole process that is given on the command line holds instead. */
const MOST_MEMORY = 1024
/** How long an idle worker is kept, in milliseconds. */
const IDLE = 5000

export class DocumentWorker {
  readonly #options: DocumentWorkerOptions
  readonly #settings: Settings
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  readonly #asked = new Map<number, Asked>()
  #nextId = 1
  readonly #turns: Turns

  constructor(options: DocumentWorkerOptions) {
    this.#options = options
    this.#settings = settingsInForce(options.launch).values
    this.#turns = new Turns(new Shares({ what: 'large documents', setting: 'limits.loads', refusal: { code: 'load_limit' } }, this.#settings))
  }

  /**
   * Reads a document of a sandbox, whose memory is handed over, when it is its turn; `receive` takes what was read. Ends when the signal is aborted, with its reason.
   * Errors: those of reading, `load_limit`, `document_too_large` where it takes too long or too much memory.
   */
  read<T>(sandbox: object, job: Job, signal: AbortSignal, receive: (reading: Reading) => Promise<T>): Promise<T> {
    return this.#turns.run(sandbox, () => this.#readNow(job, signal, receive), signal)
  }

  /** Ends the worker. */
  async end(): Promise<void> {
    await this.#stop(new Error('the emulator stops'))
  }

  async #readNow<T>(job: Job, signal: AbortSignal, receive: (reading: Reading) => Promise<T>): Promise<T> {
    const stop = () => void this.#stop(signal.reason)
    signal.addEventListener('abort', stop)
    clearTimeout(this.#idle)
    const late = setTimeout(() => void this.#stop(this.#tooLate()), this.#settings['limits.load_time'])
    try {
      const reply = await this.#ask({ read: job }, [job.bytes.buffer as ArrayBuffer])
      clearTimeout(late)
      return await receive({ head: headIn(reply), parts: () => this.#parts(), locate: async places => placesIn(await this.#ask({ places })) })
    } finally {
      clearTimeout(late)
      signal.removeEventListener('abort', stop)
      this.#worker?.unref()
      this.#idle = setTimeout(() => void this.end(), IDLE).unref()
    }
  }

  async *#parts(): AsyncGenerator<Part, void> {
    for (let next = this.#ask({ next: true }); ; ) {
      const { part } = (await next) as { part: string | null }
      if (part === null) return
      next = this.#ask({ next: true })
      // is awaited after what is done with this part
      next.catch(() => {})
      yield JSON.parse(part)
    }
  }

  async #ask(question: Question, transfer: ArrayBuffer[] = []): Promise<Reply> {
    this.#worker ??= this.#start()
    this.#worker.ref()
    const id = this.#nextId++
    const reply = await new Promise<Reply>((resolve, reject) => {
      this.#asked.set(id, { resolve, reject })
      this.#worker?.postMessage({ id, question }, transfer)
    })
    if ('refusal' in reply) throw new ApiError(reply.refusal.code, reply.refusal as never)
    if ('defect' in reply) throw new Error(reply.defect)
    return reply
  }

  #start(): Worker {
    const limit = Math.min(MOST_MEMORY, Math.floor(getHeapStatistics().heap_size_limit / MEBIBYTE))
    const worker = new Worker(SCRIPT, { workerData: this.#options, resourceLimits: { maxOldGenerationSizeMb: limit } })
    worker.on('message', ({ id, reply }: { id: number; reply: Reply }) => {
      const asked = this.#asked.get(id)
      this.#asked.delete(id)
      asked?.resolve(reply)
    })
    worker.on('error', (error: NodeJS.ErrnoException) => {
      if (worker === this.#worker) void this.#stop(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch(limit) : error)
    })
    return worker
  }

  async #stop(reason: unknown): Promise<void> {
    clearTimeout(this.#idle)
    const worker = this.#worker
    this.#worker = undefined
    const asked = [...this.#asked.values()]
    this.#asked.clear()
    for (const { reject } of asked) reject(reason)
    await worker?.terminate()
  }

  #tooLate(): ApiError {
    const time = this.#settings['limits.load_time']
    return new ApiError('document_too_large', { message: `Reading the document takes longer than limits.load_time allows: ${time} ms. Nothing was changed.` })
  }
}

const tooMuch = (limit: number): ApiError =>
  new ApiError('document_too_large', {
    message: `Reading the document takes more than ${limit} MiB of memory: write it as JSON, or load it in parts. Nothing was changed.`
  })

const headIn = (reply: Reply) => (reply as { head: FirstStateHead | null }).head
const placesIn = (reply: Reply) => (reply as { places: readonly (Place | null)[] }).places
