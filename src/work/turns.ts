/**
 * Jobs one after the other, in turns: behind a sandbox with many of them another one waits for one,
 * not for all.
 */
import type { Shares } from '../core/shares.js'

export class Turns {
  readonly #shares: Shares
  /**
   * What lets the waiting jobs of each sandbox begin, in order; the sandbox whose turn is next
   * comes first.
   */
  readonly #waiting = new Map<object, (() => void)[]>()
  #isBusy = false

  /** `shares` bounds the jobs that run or wait. */
  constructor(shares: Shares) {
    this.#shares = shares
  }

  /**
   * Runs a job of a sandbox when it is its turn. Errors: those of the shares and of the job; the
   * reason of the signal where that is aborted before.
   */
  async run<T>(sandbox: object, job: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const free = this.#shares.take(sandbox)
    try {
      return await this.wait(sandbox, job, signal)
    } finally {
      free()
    }
  }

  /**
   * Runs a job that is part of something larger, which has its place already. Errors: as of `run`,
   * but for the shares.
   */
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
      const jobs = this.#waiting.get(sandbox) ?? []
      const begin = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        jobs.splice(jobs.indexOf(begin), 1)
        reject(signal.reason)
      }
      jobs.push(begin)
      this.#waiting.set(sandbox, jobs)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  #next(): void {
    for (const [sandbox, jobs] of this.#waiting) {
      const begin = jobs.shift()
      this.#waiting.delete(sandbox)
      if (jobs.length > 0) this.#waiting.set(sandbox, jobs)
      if (begin === undefined) continue
      begin()
      return
    }
    this.#isBusy = false
  }
}
