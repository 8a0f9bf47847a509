/**
 * Reads documents of control requests: small ones on the thread that serves, large ones in the
 * worker.
 */
import type { Family } from '../reference/operations.js'
import { collectionOf, type RecordOf, type Records, Store } from '../store/store.js'
import { pause } from '../work/slices.js'
import type { Jobs } from '../work/worker.js'
import { type Body, LARGE, MANY_RECORDS, TooLargeHere } from './body.js'
import {
  type DocumentPart,
  type DocumentProblem,
  documentOf,
  reportTo,
  type Written
} from './documents.js'
import { compileExpectation, type Expectation, type ExpectationData } from './expectations.js'
import type { DocumentLimits } from './limits.js'
import type { WrittenStep } from './reader.js'
import { type Reading, readBy } from './reading.js'
import { requestedScenario } from './requested.js'
import { firstStateOf, type LoadContext, type Loaded } from './scenario.js'
import { compileEntry, type Entry, type EntryData, Script } from './script.js'
import { Answers, type StepData } from './steps.js'

/** Errors: as of `firstStateOf` and `readBy`. */
export async function loaded(
  body: Body,
  making: LoadContext & { jobs: Jobs; now: number },
  signalOf: () => AbortSignal
): Promise<Loaded> {
  const { library, jobs, now } = making
  if (!body.isLarge) {
    try {
      const small = library.within(LARGE.yaml)
      const { document, origin, ...given } = await requestedScenario(body, small)
      return await firstStateOf(document, origin, {
        ...making,
        library: small,
        maxRecords: MANY_RECORDS,
        ...given
      })
    } catch (error) {
      if (!(error instanceof TooLargeHere)) throw error
    }
  }
  const job = { kind: 'load', type: body.type, bytes: body.bytes, now } as const
  return readBy(jobs, job, signalOf(), async reading => {
    const read = await firstStateRead(reading, library.limits)
    const { warnings } = reading.head as NonNullable<typeof reading.head>
    if (warnings.length > 0) making.warn?.(warnings)
    return read
  })
}

/** From parts, as they come. */
async function firstStateRead({ head, parts }: Reading, limits: DocumentLimits): Promise<Loaded> {
  const store = new Store()
  const entries: Entry[] = []
  const expectations: Expectation[] = []
  const steps: StepData[] = []
  const answers = new Answers([])
  const places: DocumentPart[] = []
  const report = reportTo([] as DocumentProblem[], documentOf('body', null, limits))
  for await (const [list, members] of parts()) {
    for (const member of members) {
      if (list === 'keys') store.keys.set(...(member as [string, string]))
      else if (list === 'script')
        entries.push((await compileEntry(member as EntryData, report)) as Entry)
      else if (list === 'expect')
        expectations.push(
          (await compileExpectation(member as ExpectationData, report, answers)) as Expectation
        )
      else if (list === 'steps') {
        const [step, { name, place, steps: at }] = member as [StepData, WrittenStep]
        steps.push(step)
        places.push({
          document: {
            ...documentOf(name, null, limits),
            locate: async wanted => wanted.map(() => place)
          },
          steps: at
        })
      } else
        collectionOf(store, list as Family).insert(
          withShared(member as RecordOf<Family>, store) as never
        )
    }
    await pause()
  }
  const { warnings: _, ...rest } = head as NonNullable<typeof head>
  const written: Written = ([, index, ...more]) => {
    const { document, steps } = places[index as number] as DocumentPart
    return { document, steps: [...steps, ...more] }
  }
  return {
    ...rest,
    store,
    script: new Script(entries),
    expectations,
    steps,
    play: [],
    answers,
    written
  }
}

/** With what records share, which plain text does not. */
function withShared<R extends RecordOf<Family>>(record: R, { transactions }: Store): R {
  if ('metadata' in record)
    Object.assign(record, { metadata: Object.assign(Object.create(null), record.metadata) })
  if (record.object !== 'refund') return record
  const { payment_method } = transactions.get(record.transaction) as Records['transactions']
  return Object.assign(record, { payment_method })
}

/** As they come. */
export async function fixtureRead({ parts }: Reading): Promise<Record<string, unknown[]>> {
  const lists: Record<string, unknown[]> = {}
  for await (const [list, members] of parts()) {
    lists[list] ??= []
    for (const member of members) lists[list].push(member)
  }
  return lists
}
