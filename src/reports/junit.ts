/** Reports as JUnit, by the schema of Jenkins. */

import { problemLine } from '../scenario/documents.js'
import { explainedMessage } from '../scenario/match/near-misses.js'
import { type CheckedFile, isFailed } from './points.js'
import { type JudgedRun, problemsOfTest, refusedIn, sandboxName } from './run.js'
import { SAYS } from './sentences.js'

type Case = {
  attributes: Attributes
  problems?: readonly string[]
  output?: readonly string[]
}
type Suite = { name: string; cases: readonly Case[]; output?: readonly string[] }

/** The suites `criteria`, `sandboxes` and `tests`, sorted by name. */
export function runJunit(judged: JudgedRun): string {
  const { run, criteria, unmet } = judged
  const listed = unmet.length === 0 ? [] : [...run.sandboxes, ...unmet]
  const names = new Set(listed.map(({ sandbox }) => sandboxName(sandbox)))
  const sandboxes = [...names].sort().map(name => ({
    name,
    problems: unmet
      .filter(({ sandbox }) => sandboxName(sandbox) === name)
      .map(expectation => explainedMessage(expectation.message, expectation))
  }))
  const suites = Object.entries({
    criteria: criteria.map(({ criterion, problems }) => ({ name: criterion, problems })),
    sandboxes,
    tests: testCases(judged).sort((a, b) => (a.name < b.name ? -1 : 1))
  })
  return suitesJunit(
    suites
      .filter(([name, cases]) => name === 'criteria' || cases.length > 0)
      .map(([name, cases]) => ({
        name,
        cases: cases.map(({ name: caseName, ...more }) => ({
          attributes: { classname: `commerce-emulator.${name}`, name: caseName },
          ...more
        }))
      })),
    { name: 'commerce-emulator' }
  )
}

const testCases = (judged: JudgedRun) =>
  judged.run.tests.flatMap(runTest => {
    const { test, calls, refused, passed, violated } = runTest
    if (test === null) return []
    const refusedCalls = refusedIn(judged.run).filter(call => call.test === test)
    const output = [
      SAYS.requests(calls, refused),
      `passed: ${passed.join(' ') || 'no rule'}`,
      `violated: ${violated.join(' ') || 'no rule'}`,
      ...refusedCalls.map(
        ({ request, method, path, status }) => `${request} ${method} ${path} ${status}`
      )
    ]
    return { name: test, problems: problemsOfTest(judged, runTest), output }
  })

/** A suite for each file, a case for each point; warnings are output. */
export const checkJunit = (checked: readonly CheckedFile[]): string =>
  suitesJunit(
    checked.map(({ file, points, leftOut, notes }) => ({
      name: file,
      cases: points.map(point => ({
        attributes: { classname: file, name: point.message, time: (point.ms / 1000).toFixed(3) },
        [isFailed(point) ? 'problems' : 'output']: point.problems.map(problemLine)
      })),
      output: leftOut === null ? notes : [leftOut]
    }))
  )

function suitesJunit(suites: readonly Suite[], attributes: Attributes = {}): string {
  const parts = suites.map(({ name, cases, output }) =>
    element(
      'testsuite',
      { name, ...countsOf(cases) },
      block([...cases.map(caseOf), ...outputOf(output)], '  ')
    )
  )
  const all = countsOf(suites.flatMap(({ cases }) => cases))
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', { ...attributes, ...all }, block(parts, ''))}\n`
}

function caseOf({ attributes, problems = [], output }: Case): string {
  const [message] = problems
  const failure =
    message === undefined ? '' : element('failure', { message }, xml(problems.join('\n')))
  return element('testcase', attributes, `${failure}${outputOf(output).join('')}`)
}

const countsOf = (cases: readonly Case[]) => ({
  tests: cases.length,
  failures: cases.filter(({ problems }) => problems?.length).length,
  errors: 0
})
const outputOf = (lines: readonly string[] = []) =>
  lines.length ? [element('system-out', {}, xml(lines.join('\n')))] : []
const block = (parts: readonly string[], indent: string) =>
  `\n${parts.map(part => `${indent}  ${part}\n`).join('')}${indent}`

type Attributes = Readonly<Record<string, string | number>>
/** `content` is XML. */
function element(name: string, attributes: Attributes, content: string): string {
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${xml(String(value))}"`)
  return `<${name}${pairs.join('')}>${content}</${name}>`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;'
}
export const xml = (text: string): string =>
  text
    .replace(/[^\P{Cc}\n\t]|\p{Cs}|[\uFFFE\uFFFF]/gu, '')
    .replace(
      /[&<>"\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
      character => ENTITIES[character] ?? `&#${character.charCodeAt(0)};`
    )
