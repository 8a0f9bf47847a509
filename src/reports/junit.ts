/** Reports as JUnit, which build servers read: a judged run, rule coverage, and the points of a check. */

import type { CoverageReport } from '../evidence/totals.js'
import { problemLine } from '../scenario/documents.js'
import { explainedMessage } from '../scenario/near-misses.js'
import type { CheckedFile } from './points.js'
import { type JudgedRun, outcomesOf, problemsOfTest, refusedIn, sandboxName } from './run.js'
import { settingsYaml } from './text.js'

/** A case with problems fails; `output` is what else there is to say. */
type Case = { attributes: Record<string, string>; problems?: readonly string[]; output?: readonly string[]; isSkipped?: boolean }
type Suite = { name: string; cases: readonly Case[]; output?: readonly string[] }

/** The suites `gates`, `sandboxes` where one did not meet an expectation, and `tests`: a test fails that caused a finding or called a sandbox which fails a gate. */
export function runJunit(judged: JudgedRun): string {
  const { run, gates, unmet } = judged
  const caseIn = (suite: string, name: string) => ({ classname: `commerce-emulator.${suite}`, name })
  const tests = run.tests.flatMap((one): Case[] => {
    const { test, calls, refused, kept, broken } = one
    if (test === null) return []
    const own = refusedIn(run).filter(call => call.test === test)
    const lines = own.map(({ request, method, path, status }) => `${request} ${method} ${path} ${status}`)
    const output = [`${calls} calls, ${refused} refused`, `kept: ${kept.join(' ') || 'no rule'}`, `broke: ${broken.join(' ') || 'no rule'}`, ...lines]
    return [{ attributes: caseIn('tests', test), problems: problemsOfTest(judged, one), output }]
  })
  const names = new Set(unmet.length === 0 ? [] : [...run.sandboxes, ...unmet].map(({ sandbox }) => sandbox))
  const sandboxes = [...names].map(name => ({
    attributes: caseIn('sandboxes', sandboxName(name)),
    problems: unmet.flatMap(one => (one.sandbox === name ? [explainedMessage(one.message, one)] : []))
  }))
  const suites: Suite[] = [
    { name: 'gates', cases: gates.map(({ gate, problems }) => ({ attributes: caseIn('gates', gate), problems })) },
    { name: 'sandboxes', cases: sandboxes },
    { name: 'tests', cases: tests }
  ]
  const given = suites.filter(({ name, cases }) => name === 'gates' || cases.length > 0)
  return suitesJunit({ name: 'commerce-emulator' }, given)
}

/** A suite a file, a case a point; warnings are output. */
export function checkJunit(checked: readonly CheckedFile[]): string {
  const suites = checked.map(({ file, points, leftOut, notes, settings }) => ({
    name: file,
    cases: points.map((point): Case => {
      const lines = point.problems.map(problemLine)
      const attributes = { classname: file, name: point.title, time: (point.ms / 1000).toFixed(3) }
      return point.isWarning ? { attributes, output: lines } : { attributes, problems: lines }
    }),
    output: [...(leftOut === null ? [] : [leftOut]), ...notes, ...(settings !== null && Object.keys(settings).length > 0 ? [settingsYaml(settings)] : [])]
  }))
  return suitesJunit({}, suites)
}

/** A case an outcome: passed where it was seen, skipped where it was not. */
export function coverageJunit({ rules }: CoverageReport): string {
  const cases = rules.flatMap(rule =>
    Object.entries(outcomesOf(rule)).flatMap(([outcome, count]): Case[] =>
      count === null ? [] : [{ attributes: { classname: rule.rule, name: `${outcome}: ${rule.text}` }, isSkipped: count === 0 }]
    )
  )
  return document(suiteOf({ name: 'rule coverage', cases }, { skipped: cases.filter(({ isSkipped }) => isSkipped).length }, ''))
}

const document = (root: string) => `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`

function suitesJunit(attributes: Attributes, suites: readonly Suite[]): string {
  const all = suites.flatMap(({ cases }) => cases)
  const parts = suites.map(suite => suiteOf(suite, {}, '  '))
  return document(element('testsuites', { ...attributes, ...countsOf(all) }, block(parts, '')))
}

function suiteOf({ name, cases, output }: Suite, more: Attributes, indent: string): string {
  return element('testsuite', { name, ...countsOf(cases), ...more }, block([...cases.map(caseOf), ...outputOf(output)], indent))
}

function caseOf({ attributes, problems = [], output, isSkipped }: Case): string {
  const failure = problems.length === 0 ? '' : element('failure', { message: problems[0] as string }, xml(problems.join('\n')))
  return element('testcase', attributes, `${failure}${isSkipped ? '<skipped/>' : ''}${outputOf(output).join('')}`)
}

const countsOf = (cases: readonly Case[]) => ({ tests: cases.length, failures: cases.filter(({ problems = [] }) => problems.length > 0).length })
const outputOf = (lines: readonly string[] = []) => (lines.length === 0 ? [] : [element('system-out', {}, xml(lines.join('\n')))])
const block = (parts: readonly string[], indent: string) => `\n${parts.map(part => `${indent}  ${part}\n`).join('')}${indent}`

type Attributes = Readonly<Record<string, string | number>>
/** `content` is XML already. */
function element(name: string, attributes: Attributes, content: string): string {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${xml(String(value))}"`)
  return `<${name}${given.join('')}>${content}</${name}>`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** Text as XML takes it: markup and direction marks are escaped, what is not a character there is dropped. */
export const xml = (text: string): string =>
  text
    .replace(/[^\P{Cc}\n\t]|\p{Cs}|[\uFFFE\uFFFF]/gu, '')
    .replace(/[&<>"\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, character => ENTITIES[character] ?? `&#${character.charCodeAt(0)};`)
