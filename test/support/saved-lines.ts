/** Data files and snapshots of a test, from what they hold. */
import { changesSince, NOTHING } from '../../src/sandbox/content.js'
import { amendmentLine, linesRead, type SavedState, wholeLines } from '../../src/sandbox/lines.js'
import { emptyState, type SandboxState } from '../../src/sandbox/state.js'
import { Answers } from '../../src/scenario/steps.js'
import type { Json } from './json.js'

/** A state of a sandbox that began in another one, as a file gives it back. */
export async function savedState(state: SandboxState, base = emptyState()): Promise<SavedState> {
  const first = { ...base, scenario: { name: 'test', description: null }, expectations: [], steps: [], play: [], answers: new Answers([]) }
  const saved = { name: null, first, requests: 0, state }
  const { texts } = changesSince(NOTHING, { start: first, sandboxes: [{ name: null, marks: [], saved }] })
  const { data } = await linesRead([Buffer.from([...wholeLines(texts)].join(''))])
  return data.sandboxes[0] as SavedState
}

const stateTexts = (of: object, { records: { api_keys, ...records }, deleted: _, ...parts }: Json): string[] => [
  JSON.stringify({ ...of, ...parts, api_keys }),
  ...Object.entries(records).map(([family, records]) => JSON.stringify({ ...of, family, all: true, records }))
]

/** The text of a file that holds data as `readLines` returns it, and amendments after that. */
export function fileText({ first_states, sandboxes, start }: Json, ...amendments: object[][]): string {
  const texts = [
    ...first_states.flatMap((state: Json, first: number) => stateTexts({ first }, state)),
    ...sandboxes.flatMap(({ name, ...state }: Json) => stateTexts({ sandbox: name }, state)),
    JSON.stringify({ start })
  ]
  return [...wholeLines(texts), ...amendments.map(list => amendmentLine(list.map(one => JSON.stringify(one))))].join('')
}
