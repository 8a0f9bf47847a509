import t from 'tap'
import { patched } from '../../src/core/patch.js'

const own = (entries: [string, unknown][]) => Object.fromEntries(entries) as Record<string, unknown>

t.test('UPD-1 UPD-2: an update keeps what is left out and unsets what is null', async t => {
  const address = { country: 'US', line1: 'Main St 1', line2: null, city: 'Boston', postal_code: null, state: null }
  const before = { id: 'loc_1', display_name: 'A', phone: '1' as string | null, website: null as string | null, address, metadata: {} }

  const after: [change: object, expected: object][] = [
    [{}, before],
    [{ phone: undefined }, before],
    [{ phone: null }, { ...before, phone: null }],
    [
      { phone: '2', website: 'w' },
      { ...before, phone: '2', website: 'w' }
    ],
    [{ address: {} }, before],
    [{ address: { city: null, state: 'MA' } }, { ...before, address: { ...address, city: null, state: 'MA' } }],
    [
      { address: { country: null, line1: null, line2: null, city: null, postal_code: null, state: null } },
      { ...before, address: { country: null, line1: null, line2: null, city: null, postal_code: null, state: null } }
    ]
  ]
  for (const [change, expected] of after) t.strictSame(patched(before, change), expected, JSON.stringify(change))
  t.equal(before.phone, '1', 'the record before stays as it is')
  t.equal(before.address.city, 'Boston')
})

t.test('META-2 META-3: metadata merges by key, null unsets a key, cleared unsets all before', async t => {
  const cases: [title: string, before: [string, string][], change: { cleared: boolean; entries: [string, string | null][] }, after: [string, string][]][] = [
    [
      'a new key is added',
      [['a', '1']],
      { cleared: false, entries: [['b', '2']] },
      [
        ['a', '1'],
        ['b', '2']
      ]
    ],
    [
      'a key is replaced',
      [
        ['a', '1'],
        ['b', '2']
      ],
      { cleared: false, entries: [['a', '3']] },
      [
        ['a', '3'],
        ['b', '2']
      ]
    ],
    [
      'a key is unset',
      [
        ['a', '1'],
        ['b', '2']
      ],
      { cleared: false, entries: [['a', null]] },
      [['b', '2']]
    ],
    ['a key that is not there is unset', [['a', '1']], { cleared: false, entries: [['x', null]] }, [['a', '1']]],
    ['nothing changes', [['a', '1']], { cleared: false, entries: [] }, [['a', '1']]],
    [
      'all are unset',
      [
        ['a', '1'],
        ['b', '2']
      ],
      { cleared: true, entries: [] },
      []
    ],
    [
      'all are unset, then one is set',
      [
        ['a', '1'],
        ['b', '2']
      ],
      {
        cleared: true,
        entries: [
          ['b', '3'],
          ['c', null]
        ]
      },
      [['b', '3']]
    ],
    [
      'names of the prototype are plain keys',
      [
        ['constructor', '1'],
        ['toString', '2']
      ],
      {
        cleared: false,
        entries: [
          ['__proto__', '3'],
          ['constructor', null]
        ]
      },
      [
        ['toString', '2'],
        ['__proto__', '3']
      ]
    ],
    ['__proto__ stays and is replaced', [['__proto__', '1']], { cleared: false, entries: [['__proto__', '2']] }, [['__proto__', '2']]],
    [
      '__proto__ is unset',
      [
        ['__proto__', '1'],
        ['a', '1']
      ],
      { cleared: false, entries: [['__proto__', null]] },
      [['a', '1']]
    ],
    [
      'a metadata key may be called cleared',
      [
        ['cleared', '1'],
        ['entries', '2']
      ],
      { cleared: false, entries: [['cleared', '3']] },
      [
        ['cleared', '3'],
        ['entries', '2']
      ]
    ]
  ]
  for (const [title, before, { cleared, entries }, after] of cases) {
    const record = { id: 'x', metadata: own(before) }
    const next = patched(record, { metadata: { cleared, entries: own(entries) } })
    t.strictSame(Object.entries(next.metadata), after, title)
    t.strictSame(Object.entries(record.metadata), before, 'the record before stays as it is')
  }
  t.equal(({} as Record<string, unknown>).a, undefined)
  t.equal(Object.getPrototypeOf({}), Object.prototype)
})
