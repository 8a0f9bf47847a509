/** How many of something may be open at once. */
import { ApiError } from '../core/errors.js'
import type { SettingKey } from '../core/settings.js'

/** Takes a slot until the returned function is called, once. Errors: `limit_reached`. */
export type TakeSlot = () => () => void

/** At most `most` of `what`, in the plural. */
export function slots(most: number, what: string, setting: SettingKey): TakeSlot {
  let taken = 0
  return () => {
    if (taken >= most)
      throw new ApiError('limit_reached', { message: `There are ${most} ${what}, as many as ${setting} allows; end one, or raise the setting.` })
    taken++
    return () => void taken--
  }
}
