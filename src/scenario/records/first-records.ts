/** The records of a first state: those of fixtures, then generated ones. */
import { isoOf } from '../../core/instants.js'
import { FAMILIES } from '../../store/store.js'
import { inSlices } from '../../work/slices.js'
import { generateAll, generatedBy } from '../generate/generate.js'
import { checkCount, tooLarge } from '../read/refusal.js'
import { say } from '../sentences.js'
import type { Used } from '../shape/sources.js'
import { editing } from './edits.js'
import { type GenerationContext, recordsIn } from './fixture.js'

/** Errors: `document_too_large`. */
export async function firstRecords(used: Used, generation: GenerationContext): Promise<void> {
  const { fixtures, problems, warnings, data, warn } = used
  checkSize(used)
  await inSlices(editing({ fixtures, removed: [] }, generation, problems, warnings))
  await generateAll(used, generation)
  const { store, now } = generation
  const clock = isoOf(now)
  const future = FAMILIES.flatMap(family =>
    store[family].inCreationOrder().flatMap(({ created }) => (created > clock ? created : []))
  )
  if (future.length > 0) {
    const latest = future.reduce((a, b) => (a > b ? a : b))
    warn(data.clock ? ['clock'] : [], say('future_records', clock, future.length, latest))
  }
}

function checkSize({ document: { limits }, data, fixtures }: Used): void {
  for (const [name, list] of Object.entries(data)) {
    if (!Array.isArray(list)) continue
    let count = list.length
    for (const { sequence = [], at_once = [] } of list) count += sequence.length + at_once.length
    if (count > limits['limits.entries'])
      throw tooLarge(
        'limits.entries',
        limits,
        `The document has ${count} items under ${name}${data.use === undefined ? '' : ', those of use included'}`
      )
  }
  const count = recordsIn(fixtures) + generatedBy(data.generate ?? []) + (data.steps?.length ?? 0)
  checkCount('The document adds', count, limits)
}
