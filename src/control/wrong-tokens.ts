/** Slows those who guess the control token: a wrong one is answered the later, the more there were. A right one never waits. */
import { setTimeout as wait } from 'node:timers/promises'

/** How much later than the one before a wrong token is answered, and how late at most: unnoticed after a slip, and shorter than a stop takes. */
const STEP_MS = 50
const MAX_MS = 1000
/** As many answers wait at once; a further one goes out without a wait, so that wrong tokens cannot pile up. */
const MAX_WAITING = 100

/** Counts a wrong token and waits, until the emulator stops at the latest. */
export function wrongTokens(closing: AbortSignal): () => Promise<void> {
  let wrong = 0
  let waiting = 0
  return async () => {
    wrong++
    if (waiting >= MAX_WAITING) return
    waiting++
    await wait(Math.min(wrong * STEP_MS, MAX_MS), undefined, { signal: closing }).catch(() => {})
    waiting--
  }
}
