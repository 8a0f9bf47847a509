/** Texts that the worker writes of data, so that no request waits for them. */
import { jsonPieces } from './json-pieces.js'
import type { Ask, Task } from './worker.js'

/** A text of data as JSON: YAML, a recorded scenario, or a report of a run. */
export type Text = { write: 'yaml' | 'scenario' | 'html' | 'junit' | 'markdown'; json: string }

export const WRITING: Task = { does: 'Writing this', advice: 'ask for it as JSON' }

/** What the worker writes of a value, in UTF-8. Errors: as of `Jobs.run`. */
export async function written(ask: Ask, write: Text['write'], value: unknown): Promise<Uint8Array> {
  let json = ''
  for await (const piece of jsonPieces(value, 3)) json += piece
  return ask({ write, json } satisfies Text) as Promise<Uint8Array>
}
