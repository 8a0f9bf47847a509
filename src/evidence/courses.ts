/** Calls counted by the course that their judging took: most take one that others took, and counting them is one step then, however much they were judged by. */
import type { Course } from '../core/trace.js'

const MOST = 1000

export class Courses {
  readonly #calls = new Map<Course, { times: number }>()

  get isFull(): boolean {
    return this.#calls.size >= MOST
  }

  /** Counts a call whose course is known; false where it is not. */
  count(course: Course): boolean {
    const calls = this.#calls.get(course)
    if (calls) calls.times++
    return calls !== undefined
  }

  /** Makes a course known that was taken so many times. */
  add(course: Course, times: number): void {
    this.#calls.set(course, { times })
  }

  /** Hands over how many calls took each course, and forgets them. */
  *taken(): Generator<[course: Course, times: number]> {
    for (const [course, { times }] of this.#calls) yield [course, times]
    this.#calls.clear()
  }

  clear(): void {
    this.#calls.clear()
  }
}
