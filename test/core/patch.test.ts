import t from 'tap'
import { patched } from '../../src/core/patch.js'

t.test('UPD-1 UPD-2: an update leaves omitted parameters unchanged and unsets null', async t => {
  const address = {
    country: 'US',
    line1: 'Main St 1',
    line2: null,
    city: 'Boston',
    postal_code: null,
    state: null
  }
  const nowhere = {
    country: null,
    line1: null,
    line2: null,
    city: null,
    postal_code: null,
    state: null
  }
  const before = {
    id: 'loc_1',
    display_name: 'A',
    phone: '1' as string | null,
    website: null as string | null,
    address,
    metadata: {}
  }
  const cases: [change: object, changed: object][] = [
    [{}, {}],
    [{ phone: undefined }, {}],
    [{ phone: null }, { phone: null }],
    ...[{ phone: '2', website: 'w' }].map((change): [object, object] => [change, change]),
    [{ address: {} }, {}],
    [
      { address: { city: null, state: 'MA' } },
      { address: { ...address, city: null, state: 'MA' } }
    ],
    [{ address: nowhere }, { address: nowhere }]
  ]
  for (const [change, changed] of cases)
    t.strictSame(patched(before, change), { ...before, ...changed }, JSON.stringify(change))
  t.strictSame(
    [before.phone, before.address.city],
    ['1', 'Boston'],
    'the one before stays as it is'
  )
})

t.test('META-2 META-3: metadata merges by key, null unsets a key', async t => {
  // biome-ignore format: a table
  const cases: [title: string, before: string, entries: string, after: string, cleared?: true][] = [
    ['a new key is added', '{"a":"1"}', '{"b":"2"}', '{"a":"1","b":"2"}'],
    ['a key is replaced', '{"a":"1","b":"2"}', '{"a":"3"}', '{"a":"3","b":"2"}'],
    ['a key is unset', '{"a":"1","b":"2"}', '{"a":null}', '{"b":"2"}'],
    ['a key that is not there is unset', '{"a":"1"}', '{"x":null}', '{"a":"1"}'], ['nothing changes', '{"a":"1"}', '{}', '{"a":"1"}'],
    ['all are unset', '{"a":"1","b":"2"}', '{}', '{}', true],
    ['all are unset, then one is set', '{"a":"1","b":"2"}', '{"b":"3","c":null}', '{"b":"3"}', true],
    [
      'names of the prototype are plain keys', '{"constructor":"1","toString":"2"}', '{"__proto__":"3","constructor":null}',
      '{"toString":"2","__proto__":"3"}'
    ],
    ['__proto__ stays and is replaced', '{"__proto__":"1"}', '{"__proto__":"2"}', '{"__proto__":"2"}'],
    ['__proto__ is unset', '{"__proto__":"1","a":"1"}', '{"__proto__":null}', '{"a":"1"}'],
    ['a metadata key may be called cleared', '{"cleared":"1","entries":"2"}', '{"cleared":"3"}', '{"cleared":"3","entries":"2"}']
  ]
  for (const [title, before, entries, after, cleared = false] of cases) {
    const record = { id: 'x', metadata: JSON.parse(before) }
    const { metadata } = patched(record, { metadata: { cleared, entries: JSON.parse(entries) } })
    t.strictSame(
      [JSON.stringify(metadata), JSON.stringify(record.metadata)],
      [after, before],
      `${title}; the record before stays as it is`
    )
  }
  t.equal(({} as Record<string, unknown>).a, undefined)
  t.equal(Object.getPrototypeOf({}), Object.prototype)
})
