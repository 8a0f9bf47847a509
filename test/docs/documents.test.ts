/** The documents say what the code does: README, published schemas, shipped files, routes. */
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import { CATALOGUE, statusOf } from '../../src/core/errors.js'
import { SETTING_KEYS, SETTINGS, scenarioPathOf, settingsInForce, variableOf } from '../../src/core/settings.js'
import { ASSUMPTIONS, type AssumptionId } from '../../src/reference/assumptions.js'
import { OPERATIONS, type OperationId } from '../../src/reference/operations.js'
import { RULES } from '../../src/reference/rules.js'
import { publishedSchema } from '../../src/scenario/schemas.js'
import { startTestEmulator } from '../support/emulator.js'

type Row = { id: string; method: string; path: string; key: boolean }
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

const contract = (name: string) => JSON.parse(read(`test/contract/${name}.json`))

t.test('README: every endpoint, rule and assumption of the contract is listed as the source has it, and no other', async t => {
  const endpoints = README.split('\n').filter(line => /^\| (GET|POST|DELETE) \|/.test(line))
  t.strictSame(
    endpoints,
    contract('operations').map(
      ({ id, method, path, key }: Row) => `| ${method} | \`${path}\` | ${key ? 'yes' : 'no'} | ${OPERATIONS[id as OperationId].title} |`
    )
  )
  for (const { id, rule, sections, violable, keepable } of contract('rules')) {
    const canViolate = violable ? 'yes' : 'no'
    t.strictSame(rows.get(id), [rule, sections.join(', '), keepable === false ? `${canViolate}; no call can show that it is kept` : canViolate], id)
  }
  for (const { id, topic, settings } of contract('assumptions')) {
    const [shownTopic, shown, changedBy = ''] = rows.get(id) ?? []
    t.strictSame([shownTopic, shown?.replaceAll('`', '')], [topic, ASSUMPTIONS[id as AssumptionId].default], id)
    const named = [...changedBy.matchAll(/`([\w.]+)(\*?)`/g)].flatMap(([, key = '', star]) => (star ? SETTING_KEYS.filter(one => one.startsWith(key)) : [key]))
    t.strictSame(named, settings, id)
  }
  const ids = [...rows.keys()].filter(name => /^([A-Z]{3,4}-\d+|A\d\d)$/.test(name))
  t.strictSame(ids.sort(), [...Object.keys(RULES), ...Object.keys(ASSUMPTIONS)].sort())
})

t.test('README: every package that is bundled is listed with its reason, and no other', async t => {
  const table = /## Packages and why\n([\s\S]*?)\n## /.exec(README)?.[1] ?? ''
  const shown = [...table.matchAll(/^\| ([@a-z][@\w/, -]*) \| (.+) \|$/gm)].flatMap(([, names = '']) => names.split(', '))
  const sources = readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' }).filter(file => /\.(tsx?|mjs)$/.test(file))
  const imported = sources.flatMap(file =>
    [...read(`src/${file}`).matchAll(/(?:from |import\(|resolve\()'((?:@[^/']+\/)?[a-z][^/':]*)(?:\/[^']*)?'/g)].map(([, name]) => name as string)
  )
  const tools = ['esbuild', 'typescript', 'vite']

  t.strictSame(shown.filter(name => name !== 'package').sort(), [...new Set(imported)].filter(name => !tools.includes(name)).sort())
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
  for (const kind of ['fixture', 'scenario', 'script'] as const) {
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
      t.equal(first, `# yaml-language-server: $schema=../docs/schema/${file === 'outages.yaml' ? 'script' : schema}.json`, file)
      t.equal(/^# \S/.test(second as string), true)
      t.ok(parse(text))
    }
  }
})
