/** The types of the package, generated from the tables and schemas, in strict TypeScript. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import ts from 'typescript'
import { parse } from 'yaml'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

const [, TYPES] = /"types": "([^"]+)"/.exec(
  readFileSync(`${ROOT}package.json`, 'utf8')
) as unknown as [string, string]

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
    const place = file
      ? `${file.fileName}:${file.getLineAndCharacterOfPosition(start).line + 1}: `
      : ''
    return `${place}${ts.flattenDiagnosticMessageText(messageText, '\n')}`
  })
}

t.test('api: a strict suite and every shipped document compile, near misses do not', async t => {
  const documents = ['fixtures', 'scenarios'].flatMap(folder =>
    readdirSync(`${ROOT}${folder}`).flatMap(file => {
      const document = parse(readFileSync(`${ROOT}${folder}/${file}`, 'utf8'))
      // shared script entries are not a request's document
      if ('groups' in document) return []
      const data = JSON.stringify(document)
      return `export const _${file.replaceAll(/\W/g, '_')}: ${folder === 'fixtures' ? 'Fixture' : 'Scenario'} = ${data}`
    })
  )
  const folder = t.testdir({
    'documents.ts': [
      "import type { Fixture, Scenario } from 'commerce-emulator'",
      ...documents
    ].join('\n')
  })
  t.strictSame(compiled([`${ROOT}test/client/user/suite.ts`, `${folder}/documents.ts`]), [])
})

t.test('api: the package declares no value but those that it has', t => {
  const entry = `${ROOT}${TYPES}`
  const program = ts.createProgram([entry], { module: ts.ModuleKind.NodeNext })
  const checker = program.getTypeChecker()
  const module = checker.getSymbolAtLocation(program.getSourceFile(entry) as ts.SourceFile)
  const values = checker
    .getExportsOfModule(module as ts.Symbol)
    .map(symbol =>
      symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    )
    .filter(({ flags }) => flags & ts.SymbolFlags.Value)
  t.strictSame(values.map(({ name }) => name).sort(), ['EmulatorError', 'connect', 'startEmulator'])
  t.end()
})
