/** How many of something may be open at once. */
import { ApiError } from '../core/errors.js'
import type { SettingKey } from '../core/settings.js'

export class Slots {
  readonly #most: number
  readonly #what: string
  readonly #setting: SettingKey
  #taken = 0

  /** At most `most` of `what`, in the plural. */
  constructor(most: number, what: string, setting: SettingKey) {
    this.#most = most
    this.#what = what
    this.#setting = setting
  }

  /** Takes one until the returned function is called, once. Errors: `limit_reached`. */
  take(): () => void {
    if (this.#taken >= this.#most) {
      throw new ApiError('limit_reached', {
        message: `There are ${this.#most} ${this.#what}, as many as ${this.#setting} allows; end one, or raise the setting.`
      })
    }
    this.#taken++
    return () => {
      this.#taken--
    }
  }
}
