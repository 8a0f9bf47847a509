/**
 * The pages of docs/reference match the tables in the code; test/reference compares those with the
 * hand-written contracts.
 */
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import type { TSchema } from 'typebox'
import { REFERENCE_PAGES } from '../../scripts/docs/reference.js'
import { CONTROL_GROUPS } from '../../src/control/requests.js'
import { CATALOGUE, SERVICE_ERRORS } from '../../src/core/errors.js'
import { SETTING_KEYS } from '../../src/core/settings.js'
import { ASSUMPTIONS } from '../../src/reference/assumptions.js'
import { OPERATIONS } from '../../src/reference/operations.js'
import { schemaOf } from '../../src/reference/parameters.js'
import { RULES } from '../../src/reference/rules.js'
import type { Case } from '../contract/case.js'
import { ASSUMPTION_CASES, RULE_CASES } from '../contract/cases.js'
import { startTestEmulator } from '../support/emulator.js'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const pageOf = (name: string) => read(`docs/reference/${name}.md`)

t.test('docs: the pages of docs/reference are what the code says', async t => {
  t.strictSame(
    readdirSync(new URL('docs/reference', root)).sort(),
    Object.keys(REFERENCE_PAGES).sort()
  )
  for (const [name, page] of Object.entries(REFERENCE_PAGES)) {
    const text = await page()
    t.equal(
      read(`docs/reference/${name}`) === text,
      true,
      `docs/reference/${name} is up to date; npm run docs writes it`
    )
    t.notMatch(text, /undefined|\[object/, `${name}: every text is there`)
  }
})

t.test('docs: every endpoint, rule, assumption, error code and setting has a description', t => {
  const endpoints = [...pageOf('api').matchAll(/^\| ((?:GET|POST|DELETE) \| `[^`]+`) \|/gm)].map(
    ([, on]) => on
  )
  t.strictSame(
    endpoints,
    Object.values(OPERATIONS).map(({ method, path }) => `${method} | \`${path}\``)
  )
  const ids = [
    ...`${pageOf('rules')}${pageOf('assumptions')}`.matchAll(
      /^\| <a id="([a-z\d-]+)"><\/a>\*?([A-Z\d-]+)\*? \|/gm
    )
  ].map(([, anchor, id]) => [anchor, id])
  t.strictSame(
    ids,
    [...Object.keys(RULES), ...Object.keys(ASSUMPTIONS)].map(id => [id.toLowerCase(), id])
  )
  const rows = (name: string) =>
    [...pageOf(name).matchAll(/^\| (?:<a id="[^"]*"><\/a>)?`([a-z]\w*(?:\.\w+)*)`/gm)]
      .map(([, first]) => first)
      .sort()
  t.strictSame(
    [rows('errors'), rows('settings')],
    [Object.keys(CATALOGUE).sort(), [...SETTING_KEYS].sort()]
  )
  t.end()
})

t.test('docs: every error code is listed with exactly the rules and assumptions it blames', t => {
  const cases: Case[] = [
    ...Object.values(RULE_CASES).flatMap(({ kept, silent, broken }) => [
      ...kept,
      ...silent,
      ...broken
    ]),
    ...Object.values(ASSUMPTION_CASES).flatMap(({ relies, not }) => [...relies, ...not])
  ]
  for (const [code, { by }] of Object.entries(SERVICE_ERRORS)) {
    const blamed = new Set(cases.flatMap(({ blames }) => (blames?.[1] === code ? [blames[3]] : [])))
    // no case can send these: bytes that are not HTTP, and defects
    if (blamed.size === 0)
      t.match(
        code,
        /^(request_malformed|headers_too_large|request_timeout|expectation_failed|internal_error)$/
      )
    else t.strictSame([...by].sort(), [...blamed].sort(), code)
  }
  t.end()
})

t.test('control: every query parameter is accepted, and its row describes it', async t => {
  const { control } = await startTestEmulator(t)
  for (const [name, { query }] of CONTROL_GROUPS.flatMap(({ rows }) => Object.entries(rows))) {
    for (const [parameter, { description }] of Object.entries<TSchema & { description?: string }>(
      (query && schemaOf(query).properties) ?? {}
    )) {
      const { body } = await control(`${name}?${parameter}=%00`)
      t.not(body.error?.code, 'parameter_unknown', `${name} takes ${parameter}`)
      t.match(description, /\.$/, `${name} says what ${parameter} takes`)
    }
  }
})

t.test('docs: every name of a scenario and every parameter has a description', async t => {
  for (const page of ['scenario-language', 'api']) {
    const cells = [...pageOf(page).matchAll(/^\| (`.*) \|$/gm)].map(([, row = '']) =>
      row.split(' | ')
    )
    t.ok(cells.length > 50, page)
    const bare = cells.filter(([, , about]) => about?.trim() === '').map(([name]) => name)
    t.strictSame(bare, [], page)
  }
})
