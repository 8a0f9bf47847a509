import { keysToMask } from '../../engine/keys.js'
import { sentIn } from '../../engine/scripted.js'
import { type Entry, endingOf } from '../../evidence/entry.js'
import { explainedVerdicts } from '../../evidence/near-misses.js'
import { summaryOf } from '../../evidence/why.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import type { Expectation } from '../../scenario/expect/expectations.js'
import { Tally, type Verdict } from '../../scenario/expect/tally.js'
import { explainedMessage } from '../../scenario/match/near-misses.js'
import { pause } from '../../work/slices.js'
import { REFUSALS } from '../sentences.js'
import { masked, scopeOf } from '../writing.js'

/** Maximum number of requests in a verdict. */
const MAX_SHOWN = 20

/** Judges an expectation by each request of a journal; clearing the journal starts it again. */
export class Counting {
  readonly #expectation: Expectation
  readonly #sandbox: Sandbox
  readonly stop: () => void
  #tally = new Tally([])
  #clears = -1
  /** Requests that it could not see. */
  #missing = 0
  #unseen: Entry[] = []
  #counted: Entry[] = []
  #wake?: () => void

  constructor(expectation: Expectation, sandbox: Sandbox) {
    this.#expectation = expectation
    this.#sandbox = sandbox
    this.stop = this.#journal.listen(request => {
      this.#unseen.push(request)
      this.#wake?.()
    })
  }

  get #journal() {
    return this.#sandbox.evidence.journal
  }

  get #isCleared(): boolean {
    return this.#journal.clears !== this.#clears
  }

  #begin(): void {
    this.#clears = this.#journal.clears
    this.#missing = this.#journal.dropped
    this.#tally = new Tally([this.#expectation])
    this.#counted = []
    this.#unseen = this.#journal.requests().sort((a, b) => numberOf(a) - numberOf(b))
  }

  async #catchUp(): Promise<void> {
    while (true) {
      if (this.#isCleared) this.#begin()
      const request = this.#unseen.shift()
      if (request === undefined) return
      const arrival = this.#tally.addRequest(sentIn(this.#sandbox.store, request), request.id)
      this.#tally.endRequest(arrival, endingOf(request))
      if (arrival.isCounted && this.#counted.push(request) > MAX_SHOWN) this.#counted.shift()
      await pause()
    }
  }

  async holds(): Promise<boolean> {
    await this.#catchUp()
    const [verdict] = await this.#tally.verdicts(this.#sandbox.store, true)
    return verdict?.holds === true && this.#isCertain(verdict)
  }

  async waitUntilHolds(isOver: AbortSignal): Promise<void> {
    isOver.addEventListener('abort', () => this.#wake?.())
    const news = () =>
      new Promise<void>(resolve => {
        this.#wake = resolve
      })
    // what comes while it is judged is news too
    let next = news()
    while (!isOver.aborted && !(await this.holds())) {
      await next
      next = news()
    }
  }

  /** Errors: `journal_incomplete`. */
  async verdict() {
    await this.#catchUp()
    const sandbox = this.#sandbox
    const verdicts = await explainedVerdicts(this.#tally, scopeOf(sandbox), true)
    const [judged] = masked(verdicts, sandbox) as [Verdict]
    if (!this.#isCertain(judged)) throw REFUSALS.journalIncomplete(this.#missing)
    const { holds, verdict, message, seen, near_misses: near = [] } = judged
    return {
      holds,
      verdict,
      message: explainedMessage(message, { near_misses: near }),
      seen,
      ...('times' in this.#expectation && {
        requests: this.#counted.map(request => summaryOf(request, keysToMask(sandbox)))
      }),
      ...(near.length > 0 && { near_misses: near })
    }
  }

  /** Whether the missing requests cannot change a verdict. */
  #isCertain({ holds, forbidden }: Verdict): boolean {
    const expectation = this.#expectation
    if (this.#missing === 0 || 'differences' in expectation) return true
    const { data, steps, times } = expectation
    if ('sequence' in data || data.per || steps.some(({ apart }) => apart)) return false
    return forbidden || (holds && times.to === Number.POSITIVE_INFINITY)
  }
}

const numberOf = ({ id }: Entry) => Number(id.slice(id.indexOf('_') + 1))
