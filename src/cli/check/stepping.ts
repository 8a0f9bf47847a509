/**
 * `check --step`: each request when it is over, with what decided its response, what it changed,
 * and what is still expected; at a terminal, one by one.
 */
import { createInterface } from 'node:readline'
import { withoutSecrets } from '../../core/redaction.js'
import { visible } from '../../core/visible.js'
import { type AnyRecord, type Exchange, STAGE, tookEffect } from '../../engine/exchange.js'
import { keysToMask } from '../../engine/keys.js'
import type { OnOver } from '../../engine/play.js'
import { decisionLine, headLines } from '../../evidence/why.js'
import { changesBy, storesAround } from '../../replay/past.js'
import { changeLines } from '../../reports/changes.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import type { Tally } from '../../scenario/expectations.js'
import type { Play, StepAnswer, StepOutcome } from '../../scenario/steps.js'
import { collectionOf } from '../../store/store.js'
import { coloured } from '../colours.js'
import { Failure } from '../failures.js'
import { SAYS } from '../sentences.js'

/**
 * Shows a text, and waits until the person wants the next one. Errors: `Failure` where there is to
 * be none.
 */
export type Show = (text: string) => Promise<void>
type Over = { exchange: Exchange; stores: ReturnType<typeof storesAround> | null }

/** Shows the requests of one scenario: none is sent before those before it are shown. */
export class Stepping {
  readonly #sandbox: Sandbox
  readonly #tally: Tally
  readonly #show: Show
  readonly #over = new WeakMap<StepAnswer, Over>()
  /** What to show before the next request. */
  #head: string[]
  /** Settled when what is over is shown. */
  shown: Promise<void> = Promise.resolve()

  /** `title` is shown first; `tally` counts what is expected. */
  constructor({
    sandbox,
    tally,
    title,
    show
  }: { sandbox: Sandbox; tally: Tally; title: string; show: Show }) {
    this.#sandbox = sandbox
    this.#tally = tally
    this.#show = show
    this.#head = [title]
  }

  /**
   * Takes note of a request. The states around it are asked for at once, as later requests may make
   * them unknown.
   */
  readonly note: OnOver = (exchange, answer) => {
    this.#over.set(answer, {
      exchange,
      stores: tookEffect(exchange) ? storesAround(this.#sandbox, exchange) : null
    })
  }

  /** Sends requests one after the other, and those that are sent at once together. */
  readonly paced =
    (play: Play): Play =>
    async (call, fault) => {
      await this.shown
      return play(call, fault)
    }

  /** Shows a request as soon as those before it are. */
  show(label: string, outcome: StepOutcome): void {
    this.shown = this.shown.then(async () => this.#show(await this.#text(label, outcome)))
  }

  async #text(label: string, { answer, problems }: StepOutcome): Promise<string> {
    const sandbox = this.#sandbox
    const keys = keysToMask(sandbox)
    const over = this.#over.get(answer)
    const lines = [
      ...this.#head.splice(0),
      label,
      ...(over === undefined ? [] : await linesOn(over, sandbox)),
      ...problems.map(({ message }) => `  ✗ ${message}`)
    ]
    for (const { wanted, seen } of this.#tally.awaited())
      lines.push(`  ${SAYS.still_expected(wanted, seen)}`)
    return `${lines.map(line => visible(withoutSecrets(line, keys))).join('\n')}\n\n`
  }
}

async function linesOn({ exchange, stores }: Over, sandbox: Sandbox): Promise<string[]> {
  // requests of steps are not recorded
  if (exchange.stage !== STAGE.recorded) exchange.redact()
  const changes =
    stores &&
    changesBy(
      exchange,
      await stores,
      (store, family, id) => (collectionOf(store, family).get(id) ?? null) as AnyRecord | null
    )
  return [
    ...headLines(exchange, keysToMask(sandbox)),
    decisionLine(exchange),
    ...changeLines(changes ?? []).map(line => `  ${line}`)
  ].map(line => `  ${line}`)
}

/** Shows texts one by one: at a terminal each next one when Enter is pressed, elsewhere at once. */
export function showing(
  stdin: NodeJS.ReadStream,
  stdout: NodeJS.WriteStream
): { show: Show; stop: () => void } {
  if (!stdin.isTTY || !stdout.isTTY)
    return { show: async text => void stdout.write(coloured(text, stdout)), stop: () => {} }
  const input = createInterface({ input: stdin })
  const lines = input[Symbol.asyncIterator]()
  let isWaiting = true
  const show = async (text: string) => {
    stdout.write(coloured(text, stdout))
    while (isWaiting) {
      stdout.write(SAYS.how_to_go_on())
      // Ctrl-D ends the lines
      const { value: word = 'q' } = await lines.next()
      if (word === 'q') throw new Failure(SAYS.stopped())
      if (word === 'c') isWaiting = false
      if (word === '' || word === 'n') return
    }
  }
  return { show, stop: () => input.close() }
}
