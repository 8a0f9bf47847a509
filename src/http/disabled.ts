/** The operations that the reference disables: they abort right after the key, whatever else is wrong with the call (LOC-4, ACC-5, A08). */
import { ApiError } from '../core/errors.js'

/** Route options that answer 501. */
export function disabled(rule: 'LOC-4' | 'ACC-5', resource: string) {
  const abort = async () => {
    throw new ApiError('operation_disabled', { message: `Deleting a ${resource} is disabled: the service always aborts it.`, rule })
  }
  return { onRequest: abort, handler: abort }
}
