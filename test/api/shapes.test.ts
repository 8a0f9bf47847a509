/** The settings by which the lists and errors of a service with other names and another envelope are emulated. */
import t from 'tap'
import { settingsOfFlags } from '../../src/cli/launch.js'
import { openApiDocument } from '../../src/control/openapi.js'
import { settingsInForce } from '../../src/core/settings.js'
import { type Answer, startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'

const ticket = (id: string, created: string) => ({ id, location: 'loc_a', reference: id, created })
const records = {
  tickets: ['1', '2', '3', '4', '5'].map(day => ticket(`t${day}`, `2026-02-0${day}T12:00:00.000Z`)),
  users: [{ id: 'usr_a', account: 'mch_a', name: 'A', email: 'a@example.com' }]
}
const idsOf = ({ body }: Answer): string[] => body.data.map(({ id }: { id: string }) => id)
const documentOf = (settings: object): Json =>
  JSON.parse(JSON.stringify(openApiDocument({ origin: '', base: '/next', version: '1', settings: settingsInForce({ flag: settings }).values })))

const CURSORS = { 'pagination.cursors': ['after', 'before'] as const }

t.test('pagination.cursors: lists are paged through by the names that are given, both ways', async t => {
  const { call, control } = await startTestEmulator(t, { records, settings: CURSORS })
  const cases: [query: string, ids: string[], hasMore: boolean][] = [
    ['limit=2', ['tkt_a', 't5'], true],
    ['limit=2&after=t4', ['t3', 't2'], true],
    ['limit=2&before=t2', ['t4', 't3'], true],
    ['limit=2&before=t4', ['tkt_a', 't5'], false],
    ['limit=2&after=t4&before=', ['t3', 't2'], true]
  ]
  for (const [query, ids, hasMore] of cases) {
    const answer = await call('GET /tickets', { query })

    t.strictSame([answer.status, idsOf(answer), answer.body.has_more], [200, ids, hasMore], query)
  }
  t.strictSame(idsOf(await call('GET /accounts/mch_a/users', { query: 'after=usr_a' })), [])
  const { settings, times } = (await control('GET /assumptions')).body.data.find(({ id }: Json) => id === 'A10')
  t.strictSame(settings['pagination.cursors'], ['after', 'before'])
  t.equal(times, cases.length, 'every list with a cursor relied on it, the first has none')
})

t.test('pagination.cursors: what is refused names the parameters that are sent', async t => {
  const { refusal, call } = await startTestEmulator(t, { records, settings: CURSORS })
  const cases: [query: string, param: string, code: string, by: string, says: RegExp][] = [
    [
      'starting_after=t1',
      'starting_after',
      'parameter_unknown',
      'A14',
      /^starting_after is not a parameter of this call; did you mean after\?|it takes limit, after, before/
    ],
    ['afer=t1', 'afer', 'parameter_unknown', 'A14', /did you mean after\?/],
    ['after=none', 'after', 'cursor_unknown', 'A10', /^after: no record of this list has the id none/],
    ['before=none', 'before', 'cursor_unknown', 'A10', /^before: no record/],
    ['after=t1&before=t2', 'before', 'parameter_invalid', 'A10', /^after and before cannot be sent together/],
    ['after[id]=t1', 'after[id]', 'form_malformed', 'A36', /one value was expected, not an object/]
  ]
  for (const [query, param, code, by, says] of cases) {
    t.strictSame(await refusal('GET /tickets', { query }), [400, code, param, by], query)
    t.match((await call('GET /tickets', { query })).body.error.message, says)
  }
})

t.test('pagination.cursors: two names that differ and that no other parameter of a list has', async t => {
  const { control, call } = await startTestEmulator(t, { records })
  const cases: [value: unknown, path: string, says: RegExp][] = [
    ['after', '', /a list was expected, not after; write it as a list: \[after\]/],
    [['after'], '', /^at least 2 members were expected, not 1/],
    [[], '', /^at least 2 members were expected, not 0/],
    [['a', 'b', 'c'], '', /^at most 2 members were expected, not 3/],
    [['after', 'after'], '', /^members that differ were expected, not the same one twice/],
    [['page[after]', 'before'], '[0]', /^a name of letters, digits and underscores that is none of .*, not page\[after\]; write page_after/],
    [['after', ''], '[1]', /not an empty text/],
    [['after', 1], '[1]', /^text was expected, not 1/],
    ...['limit', 'created', 'location', 'transaction', 'search_query'].map((name): [unknown, string, RegExp] => [
      ['after', name],
      '[1]',
      new RegExp(`is none of limit, created, .*, not ${name}$`)
    ])
  ]
  for (const [value, path, says] of cases) {
    const { status, body } = await control('PATCH /settings', { pagination: { cursors: value } })

    t.strictSame([status, body.error.code, body.error.problems[0].path], [400, 'setting_invalid', `pagination.cursors${path}`], JSON.stringify(value))
    t.match(body.error.problems[0].message, says)
  }
  t.equal((await call('GET /tickets', { query: 'starting_after=t1' })).status, 200, 'nothing was changed')
  t.strictSame({ ...(await settingsOfFlags({}, ['pagination.cursors=after, before'])) }, CURSORS)
  await t.rejects(settingsOfFlags({}, ['pagination.cursors=after']), /--set pagination.cursors=after: at least 2 members were expected/)
})

t.test('pagination.cursors: a change while a call is held leaves its cursor as it was sent', async t => {
  const { call, control } = await startTestEmulator(t, { records })
  await control('POST /script', { on: 'GET /tickets', hold: { gate: 'gate' } })
  const held = call('GET /tickets', { query: 'limit=1&starting_after=t4' })
  while ((await control('GET /gates')).body.data[0].waiting.length === 0) await new Promise(setImmediate)

  await control('PATCH /settings', CURSORS)
  await control('POST /gates/gate/open')

  t.strictSame(idsOf(await held), ['t3'])
})

t.test('pagination.cursors: OpenAPI names the cursors', t => {
  const [document, usual] = [documentOf(CURSORS), documentOf({})]
  const namesIn = (of: Json) => of.paths['/tickets'].get.parameters.map(({ name }: Json) => name)

  t.strictSame(namesIn(document), ['limit', 'after', 'before', ...namesIn(usual).slice(3)])
  t.strictSame(namesIn(usual).slice(0, 3), ['limit', 'starting_after', 'ending_before'])
  t.match(document.paths['/tickets'].get.description, /the next page is the one with `after` set to/)
  t.match(usual.paths['/tickets'].get.description, /the next page is the one with `starting_after` set to/)
  t.end()
})

t.test('pagination.cursors: findings follow the pages, and a recorded call keeps the record that its cursor names', async t => {
  for (const [name, times] of [
    ['after', 0],
    ['before', 1]
  ] as const) {
    const { call, control } = await startTestEmulator(t, { records, settings: CURSORS })
    await call('GET /tickets', { query: 'location=loc_a&limit=1&search_query=t1' })
    await call('GET /tickets', { query: `location=loc_a&limit=5&search_query=t1&${name}=tkt_a` })

    const { data: findings } = (await control('GET /findings')).body
    t.equal(findings.find(({ finding }: Json) => finding === 'stopped-at-empty-page')?.times ?? 0, times, name)
  }
  const { call, control } = await startTestEmulator(t, { records, settings: CURSORS })
  await call('GET /tickets', { query: 'location=loc_b&after=t4' })
  const { text } = await control('GET /requests/req_1?format=scenario')
  t.match(text, /after: t4/)
  t.match(text, /id: t4/)
  t.match(text, /cursors/)
})
