/** Judges the order in which requests came. */
import { nameOf } from '../../reference/operations.js'
import { isMatch, type SentCall, shownOn } from '../match/matching.js'
import { say } from '../sentences.js'
import type { Apart, Calls, Ending, SequenceExpectation } from './expectations.js'
import {
  CallsJudge,
  type Came,
  type Given,
  type Group,
  gapBetween,
  isInPace,
  isOf,
  ofValue,
  paceMessage
} from './judges.js'

export class SequenceJudge extends CallsJudge<SequenceExpectation> {
  stepAfter(seen: number): Calls {
    const { steps } = this.expectation
    return steps[Math.min(seen, steps.length - 1)] as Calls
  }

  see(call: SentCall, came: Came): void {
    const { steps } = this.expectation
    if (!steps.some(step => isOf(step, call))) return
    this.isExercised = true
    const group = this.groupOf(call)
    if (group === undefined || group.stray !== null) return
    const from = group.seen
    const fits = steps
      .slice(from, from + group.waiting.length + 1)
      .map(step => isOf(step, call) && isMatch(step.matches, call))
    const waiting: Group['waiting'][number] = { came, from, fits, ending: null }
    group.waiting.push(waiting)
    came.whenEnded.push(ending => {
      waiting.ending = ending
      this.#goOn(group)
    })
    this.#goOn(group)
  }

  #goOn(group: Group): void {
    const { steps, others } = this.expectation
    for (let next = group.waiting[0]; next !== undefined; next = group.waiting[0]) {
      const { came, from, fits, ending } = next
      const step = fits[group.seen - from] ? steps[group.seen] : undefined
      if (step?.ended.length && ending === null) return
      const isStep = step?.ended.every(({ holds }) => holds(ending as Ending)) === true
      // the first step has no pause
      const gap = isStep && step.apart ? gapBetween(group.last as Came, came) : null
      if (isStep && (gap === null || isInPace(gap, step.apart as Apart))) this.count(group, came)
      else if (!others) {
        group.stray = { came, gap }
        group.waiting = []
        return
      }
      group.waiting.shift()
    }
  }

  judged({ seen, stray }: Group, value?: string): Given {
    return {
      isMet: seen === this.expectation.steps.length && stray === null,
      forbidden: stray !== null,
      message: this.#messageOf(seen, stray, value),
      seen
    }
  }

  #messageOf(seen: number, stray: Group['stray'], value: string | undefined): string {
    const { sequence } = this.expectation.data
    const { length } = sequence
    const next = sequence[seen]
    const of = ofValue(value)
    const operation = stray?.came.operation
    const came = operation == null ? 'another request' : nameOf(operation)
    if (next === undefined)
      return (stray === null ? say('in_order', length) : say('after_sequence', came, length, of))
        .message
    const step = `Request ${seen + 1} of the sequence, ${shownOn(next.on)},`
    if (stray === null) return say('out_of_order', step, of).message
    return stray.gap === null
      ? say('came_instead', step, came, of).message
      : paceMessage(step, stray.gap, next, value)
  }
}
