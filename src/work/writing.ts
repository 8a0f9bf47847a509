/** Texts that the worker writes of data, so that no request waits for them. */
import type { Worker } from './worker.js'

/** A text of data as JSON: YAML, a recorded scenario, or a report of a run. */
export type Text = { write: 'yaml' | 'scenario' | 'html' | 'junit' | 'markdown'; json: string }

const TASK = { does: 'Writing this', advice: 'ask for it as JSON' }

/** Errors: as of `Worker.run`. */
export const writtenBy = (worker: Worker, text: Text, signal: AbortSignal): Promise<Uint8Array> =>
  worker.run(TASK, signal, ask => ask(text) as Promise<Uint8Array>)
