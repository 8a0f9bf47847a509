/** The pages of docs/reference say what the tables in the code say, and what the contracts written out by hand say. */
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import type { TSchema } from 'typebox'
import { REFERENCE_PAGES } from '../../scripts/docs/reference.js'
import { CONTROL_GROUPS } from '../../src/control/requests.js'
import { CATALOGUE, type ErrorCode, SERVICE_ERRORS, statusOf } from '../../src/core/errors.js'
import { SETTING_KEYS, SETTINGS, scenarioPathOf, settingsInForce, variableOf } from '../../src/core/settings.js'
import { FINDINGS } from '../../src/evidence/findings.js'
import { ASSUMPTIONS, type AssumptionId } from '../../src/reference/assumptions.js'
import { OPERATIONS, type OperationId } from '../../src/reference/operations.js'
import { schemaOf } from '../../src/reference/parameters.js'
import { RULES } from '../../src/reference/rules.js'
import type { Case } from '../contract/case.js'
import { ASSUMPTION_CASES, RULE_CASES } from '../contract/cases.js'
import { collectRoutes, isControl } from '../control/routes.js'
import { startTestEmulator } from '../support/emulator.js'

type Row = { id: string; method: string; path: string; key: boolean }
const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const pageOf = (name: string) => read(`docs/reference/${name}.md`)
const contract = (name: string) => JSON.parse(read(`test/contract/${name}.json`))
/** A cell without the Markdown of code, links and anchors. */
const plain = (cell: string) =>
  cell
    .replaceAll(/<a id="[^"]*"><\/a>/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')
/** The rows of the tables of a page by their first cell. */
const rowsOf = (name: string) =>
  new Map(
    pageOf(name)
      .split('\n')
      .filter(line => line.startsWith('| '))
      .map(line => line.split(/(?<!\\)\|/).map(cell => plain(cell.trim())))
      .map(cells => [cells[1] as string, cells.slice(2, -1)] as const)
  )

t.test('docs: the pages of docs/reference are what the code says; npm run docs writes them', async t => {
  t.strictSame(readdirSync(new URL('docs/reference', root)).sort(), Object.keys(REFERENCE_PAGES).sort())
  for (const [name, page] of Object.entries(REFERENCE_PAGES)) {
    const text = await page()
    t.equal(read(`docs/reference/${name}`) === text, true, `docs/reference/${name} is up to date; npm run docs writes it`)
    t.notMatch(text, /undefined|\[object/, `${name}: every text is there`)
  }
})

t.test('docs: every endpoint, rule and assumption of the contract is in the reference, and no other', async t => {
  const endpoints = pageOf('api')
    .split('\n')
    .filter(line => /^\| (GET|POST|DELETE) \|/.test(line))
  t.strictSame(
    endpoints,
    contract('operations').map(
      ({ id, method, path, key }: Row) => `| ${method} | \`${path}\` | ${key ? 'yes' : 'no'} | ${OPERATIONS[id as OperationId].title} |`
    )
  )
  const rules = rowsOf('rules')
  for (const { id, rule, sections, violable, keepable } of contract('rules')) {
    const canViolate = violable ? 'yes' : 'no'
    t.strictSame(rules.get(id), [rule, sections.join(', '), keepable === false ? `${canViolate}; no request can show that it is kept` : canViolate], id)
  }
  const assumptions = rowsOf('assumptions')
  for (const { id, topic, settings } of contract('assumptions')) {
    const [shownTopic, changedBy = ''] = assumptions.get(id) ?? []
    t.equal(shownTopic, topic, id)
    t.equal(plain(pageOf('assumptions')).includes(`### ${id}\n\n**${topic}**: ${ASSUMPTIONS[id as AssumptionId].default}.`), true, id)
    const named = changedBy.split(', ').flatMap(key => (key.endsWith('*') ? SETTING_KEYS.filter(one => one.startsWith(key.slice(0, -1))) : key || []))
    t.strictSame(named, settings, id)
  }
  const headings = [...`${pageOf('rules')}${pageOf('assumptions')}`.matchAll(/^### (\S+)$/gm)].map(([, id]) => id)
  t.strictSame(headings, [...Object.keys(RULES), ...Object.keys(ASSUMPTIONS)])
})

t.test('docs: every error code is listed with its status and type, and with the rules and assumptions that the cases blame, and no other', async t => {
  const rows = rowsOf('errors')
  const defaults = settingsInForce({}).values

  for (const [code, { type, when }] of Object.entries(CATALOGUE)) {
    const [status, shownType, shownWhen] = rows.get(code) ?? []
    t.equal(status?.split(' ')[0], String(statusOf(code as ErrorCode, defaults)), code)
    t.strictSame([shownType, shownWhen], [type, plain(when)], code)
  }
  t.strictSame([...rows.keys()].filter(name => /^[a-z]+(_[a-z]+)*$/.test(name) && name !== 'code').sort(), Object.keys(CATALOGUE).sort())

  const cases: Case[] = [
    ...Object.values(RULE_CASES).flatMap(({ kept, silent, broken }) => [...kept, ...silent, ...broken]),
    ...Object.values(ASSUMPTION_CASES).flatMap(({ relies, not }) => [...relies, ...not])
  ]
  for (const [code, { by }] of Object.entries(SERVICE_ERRORS)) {
    const blamed = new Set(cases.flatMap(({ blames }) => (blames?.[1] === code ? [blames[3]] : [])))
    // what no case can send: bytes that are no HTTP, and defects
    if (blamed.size === 0) t.match(code, /^(request_malformed|headers_too_large|request_timeout|expectation_failed|internal_error)$/)
    else t.strictSame([...by].sort(), [...blamed].sort(), code)
  }
})

t.test('docs: every setting is listed with its default, variable, flag and place in a scenario', async t => {
  const rows = rowsOf('settings')
  for (const key of SETTING_KEYS) {
    const { default: fallback, flag, about } = SETTINGS[key] as { default: unknown; flag?: string; about: string }
    const [shownDefault, , variable, shownFlag, place, shownAbout] = rows.get(key) ?? []
    const none = fallback === null || (Array.isArray(fallback) && fallback.length === 0)
    const text = typeof fallback === 'object' && !Array.isArray(fallback) ? JSON.stringify(fallback) : String(fallback)
    t.strictSame([shownDefault, variable, shownFlag, place], [none ? 'none' : text, variableOf(key), flag ?? '', scenarioPathOf(key) ?? ''], key)
    t.equal(shownAbout?.startsWith(plain(about)), true, key)
  }
})

/** Routes of the files that pages load. */
const FILES = ['GET /_control/console/:file', 'GET /_control/docs/:file']

t.test('control: the table of calls names every route and no other, and says what each parameter of a query takes', async t => {
  const routes = collectRoutes(t)
  const { control } = await startTestEmulator(t)
  const calls = CONTROL_GROUPS.flatMap(({ rows }) => Object.entries(rows))

  const known = calls.map(([name]) =>
    name
      .replace(' /', ' /_control/')
      .replace(/\/$/, '')
      .replace(/NAME|ID/, name => `:${name.toLowerCase()}`)
  )
  t.strictSame(
    known.sort(),
    routes
      .filter(isControl)
      .map(({ method, path }) => `${method} ${path}`)
      .filter(route => !FILES.includes(route))
      .sort()
  )
  for (const [name, { query }] of calls) {
    for (const parameter of Object.keys((query && schemaOf(query).properties) ?? {})) {
      const { body } = await control(`${name}?${parameter}=%00`)
      t.not(body.error?.code, 'parameter_unknown', `${name} takes ${parameter}`)
      t.match(schemaOf(query as TSchema).properties?.[parameter]?.description, /\.$/, `${name} says what ${parameter} takes`)
    }
  }
})

t.test('docs: docs/evidence.md says of every finding when it is found, with its severity, and of no other', async t => {
  const shown = [...read('docs/evidence.md').matchAll(/^\| `([a-z-]+)` \| (error|warning) \|/gm)].map(([, name, severity]) => [name, severity])
  t.strictSame(
    shown.sort(),
    Object.entries(FINDINGS)
      .map(([name, { severity }]) => [name, severity])
      .sort()
  )
})

t.test('docs: every name of a scenario and every parameter has a text', async t => {
  for (const page of ['scenario-language', 'api']) {
    const cells = pageOf(page)
      .split('\n')
      .filter(line => line.startsWith('| `'))
      .map(line => line.slice(2, -2).split(' | '))
    const bare = cells.filter(row => row[row.length === 3 ? 2 : 3]?.trim() === '').map(([name]) => name)
    t.strictSame(bare, [], page)
  }
})
