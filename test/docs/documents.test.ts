/** The documents say what the code does: README, published schemas, shipped files, routes. */
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import { CATALOGUE, statusOf } from '../../src/core/errors.js'
import { SETTING_KEYS, SETTINGS, scenarioPathOf, settingsInForce, variableOf } from '../../src/core/settings.js'
import { ASSUMPTIONS } from '../../src/reference/assumptions.js'
import { OPERATIONS } from '../../src/reference/operations.js'
import { RULES } from '../../src/reference/rules.js'
import { publishedSchema } from '../../src/scenario/schemas.js'
import { startTestEmulator } from '../support/emulator.js'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const README = read('README.md')
/** The rows of every README table whose first column is a name in code, by that name. */
const rows = new Map(
  README.split('\n')
    .map(line => line.split(/(?<!\\)\|/).map(cell => cell.trim()))
    .filter(cells => cells.length > 3)
    .map(cells => [(cells[1] as string).replaceAll('`', ''), cells.slice(2, -1)] as const)
)

t.test('README: every error code is listed with its status and type, and no other', async t => {
  const defaults = settingsInForce({}).values

  for (const [code, { type, when }] of Object.entries(CATALOGUE)) {
    const [status, shownType, shownWhen] = rows.get(code) ?? []
    t.equal(status?.split(' ')[0], String(statusOf(code as keyof typeof CATALOGUE, defaults)), code)
    t.strictSame([shownType, shownWhen], [`\`${type}\``, when])
  }
  const shown = [...README.matchAll(/^\| `(\w+)` \| \d{3}/gm)].map(([, code]) => code)
  t.strictSame(shown.sort(), Object.keys(CATALOGUE).sort())
})

t.test('README: every setting is listed with its default, variable, flag and place in a scenario', async t => {
  for (const key of SETTING_KEYS) {
    const { default: fallback, flag } = SETTINGS[key] as { default: unknown; flag?: string }
    const [shownDefault, variable, shownFlag, place, about] = rows.get(key) ?? []
    const none = fallback === null || (Array.isArray(fallback) && fallback.length === 0)
    t.equal(shownDefault, none ? 'none' : `\`${fallback}\``, key)
    t.strictSame([variable, shownFlag, place], [`\`${variableOf(key)}\``, flag ? `\`${flag}\`` : '', scenarioPathOf(key) ? `\`${scenarioPathOf(key)}\`` : ''])
    t.equal(about?.startsWith(SETTINGS[key].about), true)
  }
})

t.test('README: every endpoint, rule and assumption is listed', async t => {
  for (const { method, path, title } of Object.values(OPERATIONS))
    t.equal(README.includes(`| ${method} | \`${path}\` |`) && README.includes(title), true, `${method} ${path}`)
  for (const [id, { text }] of Object.entries(RULES)) t.equal(rows.get(id)?.[0], text, id)
  for (const [id, { topic }] of Object.entries(ASSUMPTIONS)) t.equal(rows.get(id)?.[0], topic, id)
})

t.test('README: every dependency of the package is listed', async t => {
  const { dependencies } = JSON.parse(read('package.json'))
  const shown = [...README.matchAll(/^\| ([@\w/, -]+) \| .* \|$/gm)].flatMap(([, names]) => (names as string).split(', '))

  for (const name of Object.keys(dependencies)) t.equal(shown.includes(name), true, name)
})

t.test('each of the 22 operations of the reference has its route', async t => {
  const { app } = await startTestEmulator(t)

  for (const { method, path } of Object.values(OPERATIONS)) {
    t.equal(app.hasRoute({ method, url: `/next${path.replaceAll(/\{(\w+)\}/g, ':$1')}` }), true, `${method} ${path}`)
  }
  const routes = [...app.printRoutes({ commonPrefix: false, includeMeta: false }).matchAll(/\((.*?)\)/g)].flatMap(([, methods]) =>
    (methods as string).split(', ')
  )
  t.equal(routes.filter(method => method !== 'OPTIONS').length >= 22, true)
})

t.test('the published schemas are those that check documents', async t => {
  for (const kind of ['fixture', 'scenario'] as const) {
    t.equal(read(`docs/schema/${kind}.json`), `${JSON.stringify(publishedSchema(kind), null, 2)}\n`, `docs/schema/${kind}.json; npm run schema writes it`)
  }
})

t.test('every shipped document names its schema on line 1 and says on line 2 what it is for', async t => {
  for (const [folder, schema] of [
    ['fixtures', 'fixture'],
    ['scenarios', 'scenario']
  ] as const) {
    for (const file of readdirSync(new URL(`${folder}/`, root))) {
      const text = read(`${folder}/${file}`)
      const [first, second] = text.split('\n')
      t.equal(first, `# yaml-language-server: $schema=../docs/schema/${schema}.json`, file)
      t.equal(/^# \S/.test(second as string), true)
      t.ok(parse(text))
    }
  }
})
