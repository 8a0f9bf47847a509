/** Reads large documents in the worker, so that no other request waits. */
import type { Jobs } from '../work/worker.js'
import type { Locate, Place } from './read/places.js'
import type { FirstStateHead, Job, Part, Question } from './reader.js'

export type Reading = {
  head: FirstStateHead | null
  parts: () => AsyncGenerator<Part, void>
  /** Where parts of the document are; while it is being read only. */
  locate: Locate<Promise<readonly (Place | null)[]>>
}

const TASK = { does: 'Reading the document', advice: 'write it as JSON, or load it in parts' }

/**
 * Hands the memory of the document over; `receive` takes what was read. Errors: those of reading,
 * and as of `Jobs.run`.
 */
export const readBy = <T>(
  jobs: Jobs,
  job: Job,
  signal: AbortSignal,
  receive: (reading: Reading) => Promise<T>
): Promise<T> =>
  jobs.run(TASK, signal, async send => {
    const ask = <A>(question: Question, transfer?: ArrayBuffer[]) =>
      send(question, transfer) as Promise<A>
    async function* parts(): AsyncGenerator<Part, void> {
      for (let next = ask<string | null>({ next: true }); ; ) {
        const part = await next
        if (part === null) return
        next = ask({ next: true })
        // is awaited after what is done with this part
        next.catch(() => {})
        jobs.requireRoom()
        yield JSON.parse(part)
      }
    }
    const head = await ask<FirstStateHead | null>({ read: job }, [job.bytes.buffer as ArrayBuffer])
    return receive({ head, parts, locate: (...places) => ask({ places }) })
  })
