/** Limits that the sandboxes of a process share. */
import { ApiError, type ErrorDetails } from './errors.js'
import type { SettingKey, Settings } from './settings.js'

type Limit = Extract<SettingKey, `limits.${string}`>
/** A sandbox may have `each` times what the setting says, all together `all` times. */
type Shared = {
  what: string
  setting: Limit
  each?: number
  all?: number
  refusal?: Omit<ErrorDetails, 'message'>
}

/** No sandbox takes more than its share or more than is left. */
export class Shares {
  readonly #each: number
  readonly #all: number
  readonly #refusal: (used: number) => ApiError
  readonly #taken = new Map<object, number>()
  #sum = 0

  constructor(
    { what, setting, each = 1, all = 10, refusal: details = {} }: Shared,
    settings: Settings
  ) {
    this.#each = each * settings[setting]
    this.#all = all * settings[setting]
    this.#refusal = used => {
      const usage = `this sandbox has ${used} of at most ${this.#each}, all sandboxes together have ${this.#sum} of ${this.#all}`
      const message = `There is no room for more ${what}: ${usage}. Try again when some have ended, or raise ${setting}.`
      return new ApiError('limit_reached', { ...details, message })
    }
  }

  /** Takes a share until the returned function is called. Errors: `limit_reached`. */
  take(sandbox: object, amount = 1): () => void {
    const used = this.#taken.get(sandbox) ?? 0
    if (used + amount > Math.min(this.#each, this.#all - this.#sum)) throw this.#refusal(used)
    this.#add(sandbox, amount)
    let left = amount
    return () => {
      this.#add(sandbox, -left)
      left = 0
    }
  }

  #add(sandbox: object, amount: number): void {
    const used = (this.#taken.get(sandbox) ?? 0) + amount
    this.#sum += amount
    if (used === 0) this.#taken.delete(sandbox)
    else this.#taken.set(sandbox, used)
  }
}
