/**
 * What the worker does: reads, checks and generates a large document, and hands it over in parts.
 */
import { checkerOf } from '../core/checking.js'
import { Clock } from '../core/clock.js'
import { ApiError, type Problem } from '../core/errors.js'
import type { Step } from '../core/places.js'
import { settingsInForce } from '../core/settings.js'
import { FAMILIES } from '../store/store.js'
import { Body } from './body.js'
import { placesOf, refuseProblems } from './documents.js'
import { Library } from './library.js'
import { checkCount } from './limits.js'
import { readDocument, type SourceDocument, type TextType } from './read/document.js'
import type { Locate, Place } from './read/places.js'
import { requestedScenario } from './requested.js'
import { type FirstState, firstStateOf, type Launch, type LoadContext } from './scenario.js'
import { FIXTURE_CHECKER } from './schemas.js'

export type ReaderOptions = { folders: Library['own']; launch: Launch }
/** `now` is the machine's time in milliseconds. */
export type Job = { type: TextType; bytes: Uint8Array } & (
  | { kind: 'load'; now: number }
  | { kind: 'fixture' }
  | { kind: 'value'; schema: object }
)
/**
 * `read` gets a head or null; `next` a part as JSON text, null at the end; `places` those of parts
 * of the document.
 */
export type Question = { read: Job } | { next: true } | { places: Parameters<Locate<unknown>> }
export type FirstStateHead = Pick<FirstState, 'scenario' | 'counters' | 'clock' | 'settings'> & {
  warnings: readonly Problem[]
}
export type WrittenStep = { name: string; steps: readonly Step[]; place: Place | null }
/** Records are in the order of creation. */
export type Part = [list: string, members: unknown[]]

type Lists = readonly (readonly [name: string, members: readonly unknown[]])[]
/** Characters of a part, about, so that its reader makes no others wait. */
const PART = 65_536
/** Characters of one member, at most. */
const MAX_MEMBER = 1_048_576

export class Reader {
  readonly #launch: Launch
  readonly #library: Library
  #document: SourceDocument | undefined
  #parts: Iterator<string> = partsOf([])

  constructor({ folders, launch }: ReaderOptions) {
    this.#launch = launch
    this.#library = new Library(folders, settingsInForce(launch).values)
  }

  async answer(
    question: Question
  ): Promise<FirstStateHead | null | readonly (Place | null)[] | string> {
    if ('read' in question) return this.#read(question.read)
    if ('places' in question) return (this.#document as SourceDocument).locate(...question.places)
    const { value } = this.#parts.next()
    // nothing of a first state is needed any more when it was handed over; the places of a fixture
    // are
    if (value === undefined) this.#parts = partsOf([])
    return value ?? null
  }

  async #read(job: Job): Promise<FirstStateHead | null> {
    const body = new Body(job.type, job.bytes)
    if (job.kind === 'load') return this.#readScenario(body, job.now)
    const limits = this.#library.limits
    const document = await readDocument('body', body.text, { limits, type: job.type })
    const checker = job.kind === 'fixture' ? FIXTURE_CHECKER : checkerOf(() => job.schema)
    await refuseProblems(document, checker)
    this.#document = document
    const lists =
      job.kind === 'value'
        ? [['value', [document.data]] as const]
        : Object.entries(document.data as Record<string, unknown[]>)
    if (job.kind === 'fixture')
      checkCount(
        'The document adds',
        lists.reduce((sum, [, list]) => sum + list.length, 0),
        limits
      )
    this.#parts = partsOf(lists)
    return null
  }

  async #readScenario(body: Body, now: number): Promise<FirstStateHead> {
    const { document, origin, ...given } = await requestedScenario(body, this.#library)
    let warnings: readonly Problem[] = []
    const making: LoadContext = {
      library: this.#library,
      launch: this.#launch,
      clockFor: start => new Clock(() => now, start),
      ...given,
      warn: found => {
        warnings = found
      }
    }
    const first = await firstStateOf(document, origin, making)
    const parts = first.steps.map((_, index) => first.written(['steps', index]))
    const places = await placesOf(parts)
    const written = parts.map(
      ({ document, steps }, index): WrittenStep => ({
        name: document.name,
        steps,
        place: places[index] as Place | null
      })
    )
    this.#parts = partsOf(listsOf(first, written))
    const { scenario, counters, clock, settings } = first
    return { scenario, counters, clock, settings, warnings }
  }
}

/** The payment method of a Refund is that of its Transaction. */
function listsOf(
  { store, script, expectations, steps }: FirstState,
  written: readonly WrittenStep[]
): Lists {
  const records = FAMILIES.map((family): Lists[number] => {
    const members: readonly object[] = store[family].inCreationOrder()
    return [
      family,
      members.map(record =>
        'transaction' in record ? { ...record, payment_method: null } : record
      )
    ]
  })
  return [
    ...records,
    ['keys', [...store.keys]],
    ['script', script.listed().map(({ entry }) => entry)],
    ['expect', expectations.map(({ data }) => data)],
    ['steps', steps.map((step, index) => [step, written[index]])]
  ]
}

/** Texts of parts. Errors: `document_too_large`, where one member would make others wait. */
function* partsOf(lists: Lists): Generator<string, undefined> {
  for (const [list, members] of lists) {
    let texts: string[] = []
    let size = 0
    for (const [index, member] of members.entries()) {
      const text = JSON.stringify(member)
      if (text.length > MAX_MEMBER) throw memberTooLarge(list, index)
      texts.push(text)
      size += text.length
      if (size < PART && index < members.length - 1) continue
      yield `["${list}",[${texts.join(',')}]]`
      texts = []
      size = 0
    }
  }
}

const memberTooLarge = (list: string, index: number) =>
  new ApiError('document_too_large', {
    message: `${list}[${index}] has more than ${MAX_MEMBER} characters, the maximum for one list item. Nothing was changed.`
  })
