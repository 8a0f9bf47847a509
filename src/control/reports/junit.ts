/** A judged run as JUnit: a test case for each gate, and one for each test that named itself. */

import { FINDINGS } from '../../evidence/findings.js'
import { xml } from '../../evidence/reports.js'
import type { RunTest } from '../../evidence/tests.js'
import type { RunDocument } from '../run-document.js'
import type { JudgedRun } from './summary.js'

type Case = { name: string; problems: string[]; output?: string }

/** The suites `gates` and `tests`; a test fails when it caused a finding that fails a gate. */
export function runJunit({ run, verdict }: JudgedRun): string {
  const gates: Case[] = verdict.gates.map(({ gate, problems }) => ({ name: gate, problems }))
  const tests = run.tests.flatMap((test): Case[] => {
    if (test.test === null) return []
    const problems = test.findings.flatMap(({ finding, times }) =>
      verdict.fails.has(finding) ? [`${finding} (${times}×): ${FINDINGS[finding].about} ${FINDINGS[finding].advice}`] : []
    )
    return [{ name: test.test, problems, output: outputOf(test, run) }]
  })
  const suites = [suite('gates', gates), ...(tests.length > 0 ? [suite('tests', tests)] : [])]
  const all = [...gates, ...tests]
  return `${['<?xml version="1.0" encoding="UTF-8"?>', `<testsuites name="commerce-emulator" ${counts(all)}>`, ...suites, '</testsuites>'].join('\n')}\n`
}

const counts = (cases: readonly Case[]) => `tests="${cases.length}" failures="${cases.filter(({ problems }) => problems.length > 0).length}"`

function suite(name: string, cases: readonly Case[]): string {
  return [`  <testsuite name="${name}" ${counts(cases)}>`, ...cases.map(each => caseOf(name, each)), '  </testsuite>'].join('\n')
}

function caseOf(suite: string, { name, problems, output }: Case): string {
  const failure = problems.length === 0 ? '' : `<failure message="${xml(problems[0] as string)}">${xml(problems.join('\n'))}</failure>`
  const out = output === undefined ? '' : `<system-out>${xml(output)}</system-out>`
  return `    <testcase classname="commerce-emulator.${suite}" name="${xml(name)}">${failure}${out}</testcase>`
}

/** What a test did, with its refused calls. */
function outputOf({ test, calls, refused, kept, broken }: RunTest, { requests }: RunDocument): string {
  const lines = requests
    .filter(call => call.test === test && call.outcome === 'refused')
    .map(({ request, method, path, status }) => `${request} ${method} ${path} ${status}`)
  return [`${calls} calls, ${refused} refused`, `kept: ${kept.join(' ') || 'no rule'}`, `broke: ${broken.join(' ') || 'no rule'}`, ...lines].join('\n')
}
