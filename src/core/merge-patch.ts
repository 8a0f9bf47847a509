/** JSON Merge Patch (RFC 7396). */
import { isObject } from './quick-check.js'

/**
 * JSON with a patch applied to it: objects merge name by name, null removes a name, anything else
 * replaces what is there.
 */
export function mergePatched(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const members = new Map(Object.entries(isObject(target) ? target : {}))
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) members.delete(name)
    else members.set(name, mergePatched(members.get(name), change))
  }
  return Object.fromEntries(members)
}
