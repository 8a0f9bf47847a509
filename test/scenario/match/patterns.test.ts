/** Patterns: their limits, and that they match as the engine does. */
import { equal } from 'node:assert/strict'
import { join } from 'node:path'
import fc from 'fast-check'
import { RE2JS } from 're2js'
import t from 'tap'
import { compileExpectation } from '../../../src/scenario/expect/expectations.js'
import { compileState } from '../../../src/scenario/expect/final-state.js'
import { areMet } from '../../../src/scenario/match/conditions.js'
import type { Matcher } from '../../../src/scenario/match/matching.js'
import {
  compilePattern,
  MAX_INSTRUCTIONS,
  MAX_LENGTH,
  MAX_MATCHED,
  MAX_PATTERNS,
  patternsIn
} from '../../../src/scenario/match/patterns.js'
import { compileEntry } from '../../../src/scenario/script/entry.js'
import type { EntryData } from '../../../src/scenario/script.js'
import { coded, reported } from '../../support/codes.js'
import { smallFixture, startTestEmulator } from '../../support/emulator.js'
import { codesIn, lookedAt } from '../../support/first-state.js'
import type { Json } from '../../support/json.js'
import { property } from '../../support/property.js'

const CARD = '4242424242424242'
const on = 'POST /refunds'
const entry = (reason: unknown, more: object = { delay: '1ms' }) =>
  ({ on, match: { body: { reason } }, ...more }) as EntryData
const isMet = (matches: Matcher, reason: string) => areMet(matches, { body: () => reason } as never)
const some = (count: number) => Array.from({ length: count }, (_, index) => `/${index}/`)
const compiled = (text: string) => compilePattern(text, (_, { message }) => equal(message, ''))

t.test('a pattern is limited in its length, its ranges and its instructions', async t => {
  const cases: [pattern: string, problem: string | null][] = [
    ['a'.repeat(MAX_INSTRUCTIONS - 2), null],
    ['a'.repeat(MAX_INSTRUCTIONS - 1), 'pattern_limit'],
    [`[${'é'.repeat(MAX_LENGTH - 2)}]`, null],
    [`[${'é'.repeat(MAX_LENGTH - 1)}]`, 'pattern_limit'],
    ['(a{11}){11}', 'pattern_limit'],
    ['(a{1000}){1000}', 'bad_pattern'],
    ['[а-яА-Я]-', null],
    ['[а-яА-Я]-é', 'pattern_limit'],
    ['[\\x{100}-\\x{1fea0}]{2}', null],
    ['[a-\\x{100}b-\\x{100}c-\\x{100}]', 'pattern_limit'],
    [`^${CARD}$`, 'pattern_of_card'],
    ['^4242', null],
    ['(', 'bad_pattern']
  ]
  for (const [pattern, problem] of cases) {
    const { found, report } = reported()
    const { matches } = await compileEntry(entry(`/${pattern}/`), report)
    const problems = problem === null ? [] : [`match.body.reason ${problem}`]
    t.strictSame(found, problems, pattern.slice(0, 60))
    if (problem !== null) t.notOk(isMet(matches, '4242'), 'nothing matches it')
  }
})

t.test('an entry or expectation has a number of patterns', async t => {
  // biome-ignore format: a table
  const cases: [title: string, data: object, isWithin: boolean][] = [
    ['a list', entry(some(MAX_PATTERNS)), true], ['text among them', entry([...some(MAX_PATTERNS), 'text']), true],
    ['a longer list', entry(some(MAX_PATTERNS + 1)), false],
    ['another name', { on, match: { body: { reason: some(MAX_PATTERNS), transaction: '/x/' } } }, false],
    ['under not', { on, match: { body: { reason: { not: some(MAX_PATTERNS) }, amount: '/x/' } } }, false],
    ['a sequence', { sequence: [0, 1].map(() => ({ on, match: { body: { reason: some(13) } } })) }, false],
    ['records', { state: { refunds: { count: 1, where: { reason: some(MAX_PATTERNS + 1) } } } }, false]
  ]
  for (const [title, data, isWithin] of cases) {
    const { found, report } = reported()
    await compileExpectation(data as never, report)
    t.strictSame(found, isWithin ? [] : ['pattern_limit'], title)
    if (!('match' in data)) continue
    const ofEntry = reported()
    await compileEntry({ ...data, delay: '1ms' } as EntryData, ofEntry.report)
    t.strictSame(ofEntry.found, isWithin ? [] : ['match pattern_limit'], title)
  }
})

t.test('a script has a number of patterns, those of the groups that it uses too', async t => {
  const full = [entry(some(MAX_PATTERNS - 1)), entry('/x/i')]
  const cases: [title: string, entries: EntryData[], problems: string[]][] = [
    ['as many', full, []],
    ['text', [...full, entry('text')], []],
    [
      'more',
      [...full, entry('/x/'), entry('/(/'), entry('text')],
      ['script[2].match pattern_limit', 'script[3].match pattern_limit']
    ]
  ]
  for (const [title, entries, problems] of cases)
    t.strictSame(await codesIn({ script: entries }), problems, title)
  const root = t.testdir({ 'shared.yaml': JSON.stringify({ groups: { more: [entry('/x/')] } }) })
  const own = JSON.stringify({ use: ['shared.yaml#more'], script: full })
  const { problems } = await lookedAt(own, {
    file: join(root, 'own.yaml'),
    name: 'own',
    machine: 0
  })
  const found = problems.map(({ file, path, ...said }) => `${file} ${coded(path, said)}`)
  t.strictSame(found, [`${join(root, 'shared.yaml')} groups.more[0].match pattern_limit`])
  const emulator = await startTestEmulator(t)
  const load = async (scenario: object) => {
    const { status, body } = await emulator.control('POST /load', { scenario })
    return status === 200
      ? 200
      : body.error.problems.map(({ path, ...said }: Json) => coded(path, said))
  }
  const data = smallFixture()
  const expected = full.map(({ on, match }) => ({ on, match }))
  t.equal(await load({ data, script: full, expect: expected }), 200, 'each has its own')
  const records = { state: { refunds: { count: 0, where: { reason: '/x/' } } } }
  t.strictSame(await load({ data, expect: [...expected, records] }), ['expect[2] pattern_limit'])
})

t.test('a script takes entries until their patterns are too many together', async t => {
  const emulator = await startTestEmulator(t)
  const add = async (reason: unknown) => {
    const { status, body } = await emulator.control('POST /script', entry(reason))
    return status === 201 ? status : [status, body.error.code]
  }
  t.equal(await add(some(MAX_PATTERNS - 1)), 201)
  t.equal(await add('/x/'), 201)

  const refused = await add('/x/')
  t.equal(await add('x'), 201)
  await emulator.control('DELETE /script/scr_2')

  t.strictSame(refused, [429, 'limit_reached'])
  const atOnce = await Promise.all([add('/x/'), add('/x/')])
  t.strictSame(atOnce.map(one => [one].flat()[0]).sort(), [201, 429], 'at once')
})

t.test('a value that is too long does not match a pattern or a digest', async t => {
  const [longest, longer] = ['x'.repeat(MAX_MATCHED), 'x'.repeat(MAX_MATCHED + 1)]
  const cases: [where: object, found: number][] = [
    [{ reason: '/x/' }, 1],
    [{ reason: { not: '/x/' } }, 1],
    [{ reason: ['/x/', longer] }, 2],
    [{ reason: longer }, 1]
  ]
  for (const [where, found] of cases) {
    const state = { refunds: { count: found, where } }
    const test = compileState(state as never, { report: () => t.fail('it is right') })
    const records = [longest, longer].map(reason => ({ id: 'rfd_a', reason }))
    const store: Json = { refunds: { inCreationOrder: () => records } }
    const differences = await test(store as never, () => true)
    t.strictSame(differences, [], JSON.stringify(where).slice(0, 60))
  }
  const card = `${CARD} ${'x'.repeat(MAX_MATCHED - CARD.length - 1)}`
  for (const [reason, isMatched] of [
    [card, true],
    [`${card}x`, false]
  ] as const) {
    const { matches } = await compileEntry(entry(reason), () => t.fail('it is right'))
    t.equal(isMet(matches, reason), isMatched, 'a digest')
  }
})

const atom = fc.constantFrom(
  'a',
  'b',
  '.',
  '[ab]',
  '[^a]',
  '\\d',
  '\\w',
  '\\pL',
  'é',
  '^',
  '$',
  '\\b',
  '(?:ab)',
  '(b)',
  'ab|ba',
  ''
)
const quantifier = fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,3}', '*?')
const pattern = fc
  .array(fc.tuple(atom, quantifier), { maxLength: 8 })
  .map(parts =>
    parts
      .map(([one, often]) => (/^[\^$]?$|\|/.test(one) || one === '\\b' ? one : one + often))
      .join('')
  )
const value = fc.string({
  unit: fc.constantFrom('a', 'b', 'A', '1', ' ', 'é', '\n', '\u{1f600}', '\ud83d'),
  maxLength: 30
})

void property(
  t,
  'a pattern matches what the engine matches',
  { of: fc.record({ pattern, ignoreCase: fc.boolean(), value }), runs: 500 },
  async ({ pattern, ignoreCase, value }) => {
    const engine = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    const text = `/${pattern}/${ignoreCase ? 'i' : ''}`
    equal(patternsIn([{ text }, 'text', null, 1]), 1)
    equal((await compiled(text))(value), engine.matcher(value).find())
  }
)
