/** Jobs one after the other, in turns: behind a sandbox with many of them another one waits for one, not for all. */
import type { Shares } from '../core/shares.js'

export class Turns {
  readonly #shares: Shares
  /** What lets the waiting jobs of each sandbox begin, in order; the sandbox whose turn is next comes first. */
  readonly #waiting = new Map<object, readonly (() => void)[]>()
  #isBusy = false

  /** `shares` bounds the jobs that run or wait. */
  constructor(shares: Shares) {
    this.#shares = shares
  }

  /** Runs a job of a sandbox when it is its turn. Errors: those of the shares and of the job; the reason of the signal where that is aborted before. */
  async run<T>(sandbox: object, job: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const free = this.#shares.take(sandbox)
    try {
      return await this.wait(sandbox, job, signal)
    } finally {
      free()
    }
  }

  /** Runs a job that is part of something larger, which has its place already. Errors: as of `run`, but for the shares. */
  async wait<T>(sandbox: object, job: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#isBusy) await this.#turn(sandbox, signal)
    this.#isBusy = true
    try {
      signal.throwIfAborted()
      return await job()
    } finally {
      this.#next()
    }
  }

  #turn(sandbox: object, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const begin = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        this.#queue(
          sandbox,
          this.#jobsOf(sandbox).filter(job => job !== begin)
        )
        reject(signal.reason)
      }
      this.#queue(sandbox, [...this.#jobsOf(sandbox), begin])
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  #next(): void {
    for (const [sandbox, [begin, ...others]] of this.#waiting as Map<object, [() => void]>) {
      this.#waiting.delete(sandbox)
      this.#queue(sandbox, others)
      begin()
      return
    }
    this.#isBusy = false
  }

  #jobsOf(sandbox: object): readonly (() => void)[] {
    return this.#waiting.get(sandbox) ?? []
  }

  #queue(sandbox: object, jobs: readonly (() => void)[]): void {
    if (jobs.length === 0) this.#waiting.delete(sandbox)
    else this.#waiting.set(sandbox, jobs)
  }
}
