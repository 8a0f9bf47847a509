/** Data files and snapshots of a test, from what they hold. */
import { changesSince, NOTHING } from '../../src/sandbox/content.js'
import { amendmentLine, linesRead, type SavedData, wholeLines } from '../../src/sandbox/lines.js'
import type { PresentSandboxes } from '../../src/sandbox/state.js'
import type { Json } from './json.js'

/** Sandboxes as a whole file gives them back. */
export const savedData = async (present: PresentSandboxes): Promise<SavedData> =>
  (await linesRead([Buffer.from([...wholeLines(changesSince(NOTHING, present).texts)].join(''))]))
    .data

const stateTexts = (
  of: object,
  { records: { api_keys, ...records }, deleted: _, ...parts }: Json
): string[] => [
  JSON.stringify({ ...of, ...parts, api_keys }),
  ...Object.entries(records).map(([family, records]) =>
    JSON.stringify({ ...of, family, all: true, records })
  )
]

/** The text of a file that holds data as `readLines` returns it, and amendments after that. */
export function fileText(
  { first_states, sandboxes, start }: Json,
  ...amendments: object[][]
): string {
  const texts = [
    ...first_states.flatMap((state: Json, first: number) => stateTexts({ first }, state)),
    ...sandboxes.flatMap(({ name, ...state }: Json) => stateTexts({ sandbox: name }, state)),
    JSON.stringify({ start })
  ]
  return [
    ...wholeLines(texts),
    ...amendments.map(list => amendmentLine(list.map(one => JSON.stringify(one))))
  ].join('')
}
