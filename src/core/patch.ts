/**
 * Updates of a record: a field that is left out keeps its value, null unsets it, an address merges
 * by sub-field, metadata by key (UPD-1, UPD-2, META-2, META-3, A17).
 */

import type { Metadata, MetadataChange } from '../reference/parameters.js'
import { isObject } from '../reference/rules.js'

const isMetadataChange = (change: unknown): change is MetadataChange =>
  isObject(change) && 'cleared' in change && 'entries' in change

/** Returns the same record if nothing changes. */
export function patched<R extends object>(record: R, changes: object): R {
  let next = record
  for (const [name, change] of Object.entries(changes)) {
    const before = record[name as keyof R]
    const after = changedValue(before, change)
    if (after !== before) next = { ...next, [name]: after }
  }
  return next
}

function changedValue(before: unknown, change: unknown): unknown {
  if (change === undefined) return before
  if (isMetadataChange(change)) return patchedMetadata(before as Metadata, change)
  return isObject(change) ? patched(before as object, change) : change
}

function patchedMetadata(before: Metadata, { cleared, entries }: MetadataChange): Metadata {
  const next: Record<string, string> = Object.create(null)
  if (!cleared) Object.assign(next, before)
  for (const [key, value] of Object.entries(entries)) {
    if (value === null) delete next[key]
    else next[key] = value
  }
  const names = Object.keys(next)
  const isSame =
    names.length === Object.keys(before).length &&
    names.every(name => Object.hasOwn(before, name) && before[name] === next[name])
  return isSame ? before : next
}

/**
 * JSON with a JSON Merge Patch (RFC 7396) applied to it: objects merge name by name, null removes a
 * name, anything else replaces what is there.
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
