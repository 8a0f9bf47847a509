/** Updates of a record: a field that is left out keeps its value, null unsets it, an address merges by sub-field, metadata by key (UPD-1, UPD-2, META-2, META-3, A17). */
import type { Metadata, MetadataChange } from '../reference/parameters.js'

const isMetadataChange = (change: unknown): change is MetadataChange =>
  typeof change === 'object' && change !== null && 'cleared' in change && 'entries' in change

/** A copy of the record with the changes applied. */
export function patched<R extends object>(record: R, changes: object): R {
  const next = { ...record } as Record<string, unknown>
  for (const [name, change] of Object.entries(changes)) {
    const before = next[name]
    if (change === undefined) continue
    if (isMetadataChange(change)) next[name] = patchedMetadata(before as Metadata, change)
    else if (typeof change === 'object' && change !== null) next[name] = patched(before as object, change)
    else next[name] = change
  }
  return next as R
}

function patchedMetadata(before: Metadata, { cleared, entries }: MetadataChange): Metadata {
  const next: Record<string, string> = Object.create(null)
  if (!cleared) Object.assign(next, before)
  for (const [key, value] of Object.entries(entries)) {
    if (value === null) delete next[key]
    else next[key] = value
  }
  return next
}
