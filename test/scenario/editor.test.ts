/** What editors read: the catalog of schemas, and its file names. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { publishedSchema } from '../../scripts/docs/published-schema.js'
import { Library, VERSION } from '../../src/scenario/library.js'

const SCHEMA = publishedSchema('scenario')
/** As SchemaStore's catalog would have it. */
const [{ versions }] = JSON.parse(
  readFileSync(new URL('../../docs/schema/schemastore.json', import.meta.url), 'utf8')
)

t.test('editor: the schema of a catalog says where it is, in its version', async t => {
  t.equal(versions[VERSION], SCHEMA.$id)
})

t.test('editor: a file with its kind in its name is known by the rest of it', async t => {
  const folder = t.testdir({
    'own.scenario.yaml': 'name: own',
    'lunch.fixture.json': '{}',
    'odd.scenarios.yaml': 'name: odd'
  })
  const library = new Library({ fixtures: folder, scenarios: folder })

  t.equal((await library.scenario('own')).name, join(folder, 'own.scenario.yaml'))
  t.equal(
    ((await library.fixture('lunch', null)) as { name: string }).name,
    join(folder, 'lunch.fixture.json')
  )
  for (const name of ['own.scenario', 'odd'])
    await t.rejects(library.scenario(name), { code: 'scenario_unknown' }, name)
})

t.test('editor: a part is called by what it is', async t => {
  const { properties } = JSON.parse(JSON.stringify(SCHEMA))
  t.strictSame(
    ['script', 'expect', 'play', 'data', 'vars'].map(
      name => (properties[name].items ?? properties[name]).title
    ),
    ['script entry', 'expectation', 'step of a play', 'records', 'variables']
  )
})
