/** What `verify` may expect: only what the journal keeps. */

import * as Type from 'typebox'
import { isSecretName } from '../../core/redaction.js'
import { testHeaderOf } from '../../engine/reading.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import {
  type Located,
  type Report,
  reportTo,
  within,
  withoutProblems
} from '../../scenario/documents.js'
import {
  type CallsData,
  type CountData,
  compileExpectation,
  type Expectation,
  type ExpectationData,
  type SequenceData,
  type StateData
} from '../../scenario/expect/expectations.js'
import { expectationSchema } from '../../scenario/shape/expectation.js'
import { say } from '../sentences.js'

type Expected = Partial<CountData> & Partial<SequenceData> & { state?: StateData }
export type Wanted = Expected & { within?: string }

const MAX_STEPS = 1000

export function wantedSchema() {
  const expectation = expectationSchema(true)
  const { sequence } = expectation.properties
  const properties = {
    ...expectation.properties,
    sequence: { ...sequence, maxItems: MAX_STEPS },
    within: Type.String({ format: 'duration' })
  }
  return Type.Unsafe<Wanted>({ ...expectation, properties })
}

/** Errors: `document_invalid`. */
export async function expectationIn(
  expected: Expected,
  document: Located,
  { settings }: Sandbox
): Promise<Expectation> {
  const headers = ['user-agent', testHeaderOf(settings)]
  const expectation = await withoutProblems(problems => {
    const report = reportTo(problems, document)
    checkKept(expected, headers, report)
    for (const [index, step] of (expected.sequence ?? []).entries())
      checkKept(step, headers, within(report, 'sequence', index))
    return compileExpectation(expected as ExpectationData, report)
  })
  return expectation as Expectation
}

function checkKept(
  { match = {}, per }: Pick<Expected, 'per'> & Partial<Pick<CallsData, 'match'>>,
  headers: readonly string[],
  report: Report
): void {
  const unkept = [
    ...(per === 'key' ? [['per']] : []),
    ...(match.key === undefined ? [] : [['match', 'key']]),
    ...secretsIn(match.body ?? {}).map(name => ['match', 'body', ...name]),
    ...Object.keys(match.headers ?? {})
      .filter(name => !headers.includes(name.toLowerCase()))
      .map(name => ['match', 'headers', name])
  ]
  for (const steps of unkept) report(steps, say('not_kept'))
}

function secretsIn(names: object): string[][] {
  return Object.entries(names).flatMap(([name, value]) => {
    if (isSecretName(name)) return [[name]]
    return typeof value === 'object' && !Array.isArray(value)
      ? secretsIn(value).map(inner => [name, ...inner])
      : []
  })
}
