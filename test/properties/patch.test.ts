/**
 * Updates compared with a plain model: omitted parameters stay, an empty value unsets, an address
 * changes by sub-field, metadata by key.
 */
import { deepEqual, equal } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { patched } from '../../src/core/patch.js'
import { property } from '../support/property.js'

const ADDRESS = ['country', 'line1', 'line2', 'city', 'postal_code', 'state'] as const
const SCALARS = ['display_name', 'phone', 'website'] as const
type Part = (typeof ADDRESS)[number]
type Scalar = (typeof SCALARS)[number]
/** The updatable fields of a Location. */
type Updatable = {
  address: Record<Part, string | null>
  metadata: Record<string, string>
} & Record<Scalar, string | null>
type Changes = {
  address?: Partial<Updatable['address']>
  metadata?: { cleared: boolean; entries: Record<string, string | null> }
} & Partial<Record<Scalar, string | null>>

const value = fc.oneof(
  fc.constantFrom('a', 'b', 'US', '0', 'null'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 8 })
)
const key = fc.constantFrom(
  'k',
  'l',
  'm',
  '__proto__',
  'constructor',
  'toString',
  'cleared',
  'entries',
  '0',
  'a b'
)
const pairs = <T>(of: fc.Arbitrary<T>) => fc.dictionary(key, of, { maxKeys: 5 })
const orNull = fc.option(value)
const each = <K extends string, T>(names: readonly K[], of: fc.Arbitrary<T>) =>
  Object.fromEntries(names.map(name => [name, of])) as { [name in K]: fc.Arbitrary<T> }

const record: fc.Arbitrary<Updatable> = fc.record({
  ...each(SCALARS, orNull),
  address: fc.record(each(ADDRESS, orNull)),
  metadata: pairs(value)
})
const changes = fc.record(
  {
    ...each(SCALARS, fc.option(orNull, { nil: undefined })),
    address: fc.record(each(ADDRESS, fc.option(orNull, { nil: undefined })), { requiredKeys: [] }),
    metadata: fc.record({ cleared: fc.boolean(), entries: pairs(orNull) })
  },
  { requiredKeys: [] }
) as fc.Arbitrary<Changes>

function updated(
  before: Updatable,
  { address = {}, metadata = { cleared: false, entries: {} }, ...scalars }: Changes
): Updatable {
  const after = structuredClone(before)
  for (const name of SCALARS) if (scalars[name] !== undefined) after[name] = scalars[name]
  for (const name of ADDRESS) if (address[name] !== undefined) after.address[name] = address[name]
  const kept = new Map(metadata.cleared ? [] : Object.entries(before.metadata))
  for (const [key, value] of Object.entries(metadata.entries)) {
    if (value === null) kept.delete(key)
    else kept.set(key, value)
  }
  after.metadata = Object.fromEntries(kept)
  return after
}

/** The record as plain data, whatever its prototypes. */
const plain = (record: object) => JSON.parse(JSON.stringify(record))

void property(
  t,
  'UPD-1, UPD-2, META-2, META-3: an update changes what the rules say, and the old record stays',
  { of: fc.tuple(record, changes), runs: 400 },
  ([before, sent]) => {
    const copy = structuredClone(before)

    const after = patched(before, sent)

    deepEqual(plain(after), plain(updated(copy, sent)))
    deepEqual(plain(before), plain(copy))
    equal(
      after === before,
      JSON.stringify(plain(after)) === JSON.stringify(plain(before)),
      'the record itself where nothing changes'
    )
    deepEqual(
      plain(patched(after, sent)),
      plain(after),
      'the same update again changes nothing more'
    )
  }
)
