/** The types of the package: made from the tables that check documents, the same as what is answered, and as a user in strict TypeScript has them. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import ts from 'typescript'
import { parse } from 'yaml'
import { declarations } from '../../scripts/docs/declarations.js'
import type * as answers from '../../src/client/answers.js'
import type * as documents from '../../src/client/documents.js'
import type { clockShown } from '../../src/control/overview.js'
import type * as errors from '../../src/core/errors.js'
import type * as findings from '../../src/evidence/findings.js'
import type { CoverageReport } from '../../src/evidence/totals.js'
import type { explained, summaryOf } from '../../src/evidence/why.js'
import type { ListedGate } from '../../src/sandbox/gates.js'
import type { Added } from '../../src/sandbox/sandbox.js'
import type { Verdict } from '../../src/scenario/expectations.js'
import type { GenerateData } from '../../src/scenario/generate.js'
import type { EntryData, ListedEntry, Release } from '../../src/scenario/script.js'
import type { StepData } from '../../src/scenario/steps.js'

/** True where a value of A is one of B, and both have the same names. */
type Fits<A, B> = A extends B ? ([keyof A, keyof B] extends [keyof B, keyof A] ? true : 'other names') : 'other types'
/** Internal types beside those of the package; `tsc` judges them. */
const FITS: {
  call: Fits<ReturnType<typeof summaryOf>, Omit<answers.JournalCall, 'on' | 'sandbox'> & { on: string | null }>
  explained: Fits<ReturnType<typeof explained>['why'], Omit<answers.ExplainedCall['why'], 'near_misses'>>
  coverage: Fits<CoverageReport, answers.CoverageReport>
  rule: Fits<CoverageReport['rules'][number], answers.CoverageReport['rules'][number]>
  finding: Fits<findings.Finding, answers.FindingsReport['data'][number]>
  clock: Fits<ReturnType<typeof clockShown>, answers.ClockState>
  listed: Fits<keyof ListedEntry, keyof answers.ListedEntry>
  gate: Fits<keyof ListedGate, keyof answers.Gate>
  release: Fits<Release, answers.Release>
  added: Fits<keyof Added, keyof answers.AddedRecords>
  verdict: Fits<keyof Verdict, keyof NonNullable<answers.Verdict['expectations']>[number]>
  refund: Fits<Added['refunds'][number], answers.AddedRecords['refunds'][number]>
  transaction: Fits<keyof Added['transactions'][number], keyof answers.AddedRecords['transactions'][number]>
  problem: Fits<errors.Problem, import('../../src/client/error.js').Problem>
  entry: Fits<documents.ScriptEntry['respond'], EntryData['respond']>
  generate: Fits<keyof documents.Generate, keyof GenerateData>
  step: Fits<keyof documents.Step, keyof StepData>
} = {
  call: true,
  explained: true,
  coverage: true,
  rule: true,
  finding: true,
  clock: true,
  listed: true,
  gate: true,
  release: true,
  added: true,
  verdict: true,
  refund: true,
  transaction: true,
  problem: true,
  entry: true,
  generate: true,
  step: true
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** The declarations of the built package. */
const [, TYPES] = /"types": "([^"]+)"/.exec(readFileSync(`${ROOT}package.json`, 'utf8')) as unknown as [string, string]

/** What the compiler finds wrong with files, for a user without any other types. */
function compiled(files: readonly string[]): string[] {
  const program = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    types: [],
    paths: { 'commerce-emulator': [`${ROOT}${TYPES}`] },
    noEmit: true
  })
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const place = file ? `${file.fileName}:${file.getLineAndCharacterOfPosition(start).line + 1}: ` : ''
    return `${place}${ts.flattenDiagnosticMessageText(messageText, '\n')}`
  })
}

t.test('api: the types of documents, records, settings and names are those of the tables; npm run schema writes them', async t => {
  t.equal(readFileSync(`${ROOT}src/client/documents.ts`, 'utf8'), declarations())
  t.ok(Object.values(FITS).every(fits => fits))
})

t.test('api: a suite in the strictest TypeScript compiles as it stands, near misses are refused, and every shipped document is one of its type', async t => {
  const documents = ['fixtures', 'scenarios'].flatMap(folder =>
    readdirSync(`${ROOT}${folder}`).flatMap(file => {
      const document = parse(readFileSync(`${ROOT}${folder}/${file}`, 'utf8'))
      // script entries to share are no document of a call
      if ('groups' in document) return []
      const data = JSON.stringify(document)
      return `export const _${file.replaceAll(/\W/g, '_')}: ${folder === 'fixtures' ? 'Fixture' : 'Scenario'} = ${data}`
    })
  )
  const folder = t.testdir({ 'documents.ts': ["import type { Fixture, Scenario } from 'commerce-emulator'", ...documents].join('\n') })

  t.strictSame(compiled([`${ROOT}test/client/user/suite.ts`, `${folder}/documents.ts`]), [])
})
