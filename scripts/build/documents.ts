/**
 * Checks the shipped documents and writes them into dist/documents/ as JSON, so that a start
 * neither reads YAML nor checks them.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { preparedName } from '../../src/scenario/library.js'
import { readDocument } from '../../src/scenario/read/document.js'
import { problemLine } from '../../src/scenario/read/refusal.js'
import { isSharedScript } from '../../src/scenario/script/shared-script.js'
import { problemsOfShape } from '../../src/scenario/shape/scenario.js'
import { expandVariables } from '../../src/scenario/shape/variables.js'

const ROOT = new URL('../../', import.meta.url)
const FOLDER = new URL('dist/documents/', ROOT)
const KINDS = { fixtures: 'fixture', scenarios: 'scenario' } as const
const fail = (message: string): never => {
  throw new Error(message)
}

await mkdir(FOLDER, { recursive: true })
for (const [folder, kind] of Object.entries(KINDS)) {
  for (const file of await readdir(new URL(folder, ROOT))) {
    const text = await readFile(new URL(`${folder}/${file}`, ROOT), 'utf8')
    const { data } = await readDocument(file, text)
    const checkedAs = isSharedScript(data) ? 'script' : kind
    expandVariables(data, whole => problemsOfShape(checkedAs, whole), {
      overrides: [],
      report: (steps, said) => fail(problemLine({ file, path: steps.join('.'), ...said }))
    })
    await writeFile(new URL(preparedName(text), FOLDER), JSON.stringify({ checkedAs, data }))
  }
}
