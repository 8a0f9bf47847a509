/** Updates against a plain model: what is left out stays, an empty value unsets, an address changes by sub-field, metadata by key. */
import { deepEqual, equal } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { patched } from '../../src/core/patch.js'
import { NOW, startTestEmulator } from '../support/emulator.js'
import { property } from '../support/property.js'

const ADDRESS = ['country', 'line1', 'line2', 'city', 'postal_code', 'state'] as const
const SCALARS = ['display_name', 'phone', 'website'] as const
type Part = (typeof ADDRESS)[number]
type Scalar = (typeof SCALARS)[number]
/** A Location as far as an update can change it. */
type Updatable = { address: Record<Part, string | null>; metadata: Record<string, string> } & Record<Scalar, string | null>
/** What was decoded of an update: null unsets, what is left out stays. */
type Changes = { address?: Partial<Updatable['address']>; metadata?: { cleared: boolean; entries: Record<string, string | null> } } & Partial<
  Record<Scalar, string | null>
>
/** What an update carries on the wire: an empty value unsets, undefined is left out. */
type Form = { clearsAddress: boolean; clearsMetadata: boolean; metadata: Record<string, string> } & Partial<Record<Part | Scalar, string>>

const value = fc.oneof(fc.constantFrom('a', 'b', 'US', '0', 'null'), fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }))
const key = fc.constantFrom('k', 'l', 'm', '__proto__', 'constructor', 'toString', 'cleared', 'entries', '0', 'a b')
const pairs = <T>(of: fc.Arbitrary<T>) => fc.dictionary(key, of, { maxKeys: 5 })
const orNull = fc.option(value)
const each = <K extends string, T>(names: readonly K[], of: fc.Arbitrary<T>) =>
  Object.fromEntries(names.map(name => [name, of])) as { [name in K]: fc.Arbitrary<T> }

const record: fc.Arbitrary<Updatable> = fc.record({ ...each(SCALARS, orNull), address: fc.record(each(ADDRESS, orNull)), metadata: pairs(value) })
const changes = fc.record(
  {
    ...each(SCALARS, fc.option(orNull, { nil: undefined })),
    address: fc.record(each(ADDRESS, fc.option(orNull, { nil: undefined })), { requiredKeys: [] }),
    metadata: fc.record({ cleared: fc.boolean(), entries: pairs(orNull) })
  },
  { requiredKeys: [] }
) as fc.Arbitrary<Changes>

/** The record as it has to be, written from the rules. */
function updated(before: Updatable, { address = {}, metadata = { cleared: false, entries: {} }, ...scalars }: Changes): Updatable {
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

/** The record as plain data, however its objects were made. */
const plain = (record: object) => JSON.parse(JSON.stringify(record))

void property(
  t,
  'UPD-1, UPD-2, META-2, META-3: an update changes what the rules say, and the old record stays',
  { of: fc.tuple(record, changes), runs: 1000 },
  ([before, sent]) => {
    const copy = structuredClone(before)

    const after = patched(before, sent)

    deepEqual(plain(after), plain(updated(copy, sent)))
    deepEqual(plain(before), plain(copy))
    equal(after === before, JSON.stringify(plain(after)) === JSON.stringify(plain(before)), 'the record itself where nothing changes')
    deepEqual(plain(patched(after, sent)), plain(after), 'the same update again changes nothing more')
  }
)

const sentText = fc.option(fc.oneof({ weight: 3, arbitrary: value }, fc.constant('')), { nil: undefined, freq: 2 })
const form = fc.record({
  ...each(['phone', 'website'], sentText),
  display_name: fc.option(fc.oneof({ weight: 9, arbitrary: value }, fc.constant('')), { nil: undefined }),
  country: fc.option(fc.oneof({ weight: 9, arbitrary: fc.constantFrom('US', 'de', 'fR') }, fc.constantFrom('', 'XX')), { nil: undefined }),
  ...each(['line1', 'line2', 'city', 'postal_code', 'state'], sentText),
  clearsAddress: fc.boolean(),
  clearsMetadata: fc.boolean(),
  metadata: pairs(fc.oneof(value, fc.constant('')))
}) as fc.Arbitrary<Form>

function bodyOf({ clearsAddress, clearsMetadata, metadata, ...texts }: Form): URLSearchParams {
  const body = new URLSearchParams()
  for (const [name, text] of Object.entries(texts)) {
    if (text !== undefined) body.append((ADDRESS as readonly string[]).includes(name) ? `address[${name}]` : name, text)
  }
  for (const [key, text] of Object.entries(metadata)) body.append(`metadata[${key}]`, text)
  if (clearsAddress) body.append('address', '')
  if (clearsMetadata) body.append('metadata', '')
  return body
}

/** The Location after the update; null where it has to be refused, since it names no country or white space alone. */
function locationAfter(before: Updatable, { clearsAddress, clearsMetadata, metadata, country, ...texts }: Form): Updatable | null {
  const isBlank = texts.display_name !== undefined && texts.display_name !== '' && texts.display_name.trim() === ''
  if (isBlank || country === 'XX') return null
  const sent = (text: string | undefined) => (text === '' ? null : text)
  const address = Object.fromEntries(
    ADDRESS.map(name => {
      const text = name === 'country' ? country?.toUpperCase() : texts[name]
      return [name, text === undefined && clearsAddress ? null : sent(text)]
    })
  ) as Partial<Updatable['address']>
  const entries = Object.fromEntries(Object.entries(metadata).map(([key, text]) => [key, sent(text) as string | null]))
  const scalars = Object.fromEntries(SCALARS.map(name => [name, sent(texts[name])])) as Partial<Record<Scalar, string | null>>
  return updated(before, { ...scalars, address, metadata: { cleared: clearsMetadata, entries } })
}

t.test('through the API', async t => {
  const { call, control } = await startTestEmulator(t, { logged: false })
  const first = (await call('GET /locations/loc_a')).body

  await property(
    t,
    'UPD-1, UPD-2, META-2, META-3, A16: any updates one after the other leave a Location as the rules say, and a refused one leaves it as it was',
    { of: fc.array(form, { minLength: 1, maxLength: 6 }), runs: 100 },
    async forms => {
      await control('POST /reset')
      let expected = first
      for (const form of forms) {
        const after = locationAfter(expected, form)

        const { status } = await call('POST /locations/loc_a', { body: bodyOf(form).toString() })

        equal(status, after === null ? 400 : 200)
        expected = after ?? expected
        deepEqual((await call('GET /locations/loc_a')).body, { ...expected, created: NOW })
      }
    }
  )
})
