/**
 * Writes dist/types/: the declarations that src/index.ts leads to and no others, so that the types
 * of the package need no other package's.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SOURCE = join(ROOT, 'src')
const GENERATED = join(ROOT, 'dist/generated')

const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
const program = ts.createProgram([join(SOURCE, 'index.ts')], {
  ...options,
  incremental: false,
  tsBuildInfoFile: undefined,
  noCheck: true
})

/** The text of a module's declarations. */
function declarationsOf(file) {
  let text = ''
  const write = (_, written) => {
    text = written
  }
  program.emit(program.getSourceFile(file), write, undefined, true)
  return text
}

const files = new Set([join(SOURCE, 'index.ts')])
for (const file of files) {
  const text = declarationsOf(file)
  for (const { fileName } of ts.preProcessFile(text).importedFiles) {
    if (!fileName.startsWith('.')) throw new Error(`${file}: its declarations need ${fileName}`)
    const imported = join(
      dirname(file).replace(GENERATED, SOURCE),
      fileName.replace(/\.js$/, '.ts')
    )
    files.add(existsSync(imported) ? imported : imported.replace(SOURCE, GENERATED))
  }
  const path = file
    .replace(GENERATED, SOURCE)
    .replace(SOURCE, join(ROOT, 'dist/types'))
    .replace(/\.ts$/, '.d.ts')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
