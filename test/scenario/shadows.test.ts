/** Entries that can never apply because of an earlier entry. */
import t from 'tap'
import { smallFixture } from '../support/emulator.js'
import { codesIn, problemsIn } from '../support/first-state.js'

t.test('script: an entry after one that applies to every request is a problem', async t => {
  const all = { on: 'GET /tickets', delay: '1s' }
  const some = { ...all, match: { key: 'k' } }
  const later = { ...all, calls: '2+' }
  const other = { on: 'GET /refunds', delay: '1s' }
  // biome-ignore format: a table
  const cases: [title: string, script: object[], ...problems: string[]][] = [
    ['none', []], ['conditions first', [some, { ...all, calls: 1 }, later, all, other]],
    ['behind one', [all, some, other], 'script[1] shadowed'],
    ['behind one, after none', [all, { ...some, after: 'none' }], 'script[1].after unknown_entry', 'script[1] shadowed'],
    ['behind one, twice', [all, all, later], 'script[1] shadowed', 'script[2] shadowed'],
    ['behind one of any operation', ['1s', '2s'].map(delay => ({ on: '*', delay })), 'script[1] shadowed'],
    ['behind several together', [all, other, { on: ['GET /tickets', 'GET /refunds'], delay: '1s' }]],
    ['behind some of several', [all, { on: ['GET /tickets', 'GET /refunds'], delay: '1s' }]],
    ['behind many', [...Array.from({ length: 101 }, (_, calls) => ({ ...all, calls: calls + 1 })), all, some], 'script[102] shadowed'],
    ['an empty match is no condition', [{ ...all, match: { query: { created: {} } } }, some], 'script[1] shadowed'],
    ['1+ is every request', [{ ...all, calls: '1+' }, some], 'script[1] shadowed'], ['every request but the first', [later, some]],
    ...[
      { chance: 0.5 },
      { from: '2026-03-01' },
      { until: '2026-03-01' },
      { for: '1s' },
      { per: 'key', calls: '1+' },
      { after: 'first' },
      { calls: '1-100' }
    ].map((more): (typeof cases)[number] => [
      `behind one with ${JSON.stringify(more)}`,
      [{ on: '*', delay: '1s', ...more }, all, { ...other, name: 'first', calls: 1 }]
    ]),
    ['one that is wrong itself', [{ on: 'GET /tickets', calls: '3-2', delay: '1s' }, all], 'script[0].calls not_counts']
  ]
  for (const [title, script, ...problems] of cases)
    t.strictSame(await codesIn({ data: smallFixture(), script }), problems, title)
  const texts = await problemsIn({
    script: [
      other,
      { ...all, name: 'a' },
      { on: '*', fault: 'hang', calls: 1 },
      { ...other, calls: 1 },
      { ...all, on: ['GET /tickets', 'GET /tickets/{id}'] },
      { ...all, on: 'GET /tickets' }
    ]
  })
  t.strictSame(texts, [
    'script[3]: can never apply: entry 1 comes first, and is applied to every request of GET /refunds',
    'script[5]: can never apply: the entry "a" comes first, and is applied to every request of GET /tickets'
  ])
})
