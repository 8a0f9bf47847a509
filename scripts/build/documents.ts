/**
 * Checks the shipped documents and writes them into dist/documents/ as JSON, so that a start
 * neither reads YAML nor checks them.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { problemLine } from '../../src/scenario/documents.js'
import { preparedName } from '../../src/scenario/library.js'
import { readDocument } from '../../src/scenario/read/document.js'
import { kindOf } from '../../src/scenario/shape/scenario.js'
import { expandVariables } from '../../src/scenario/shape/variables.js'

const ROOT = new URL('../../', import.meta.url)
const FOLDER = new URL('dist/documents/', ROOT)
const fail = (message: string): never => {
  throw new Error(message)
}

await mkdir(FOLDER, { recursive: true })
for (const folder of ['fixtures', 'scenarios']) {
  for (const file of await readdir(new URL(folder, ROOT))) {
    const text = await readFile(new URL(`${folder}/${file}`, ROOT), 'utf8')
    const document = await readDocument(file, text)
    const kind = kindOf(document.data)
    expandVariables(document, kind, {
      overrides: [],
      report: (steps, said) => fail(problemLine({ file, path: steps.join('.'), ...said }))
    })
    const prepared = JSON.stringify({ kind, data: document.data })
    await writeFile(new URL(preparedName(text), FOLDER), prepared)
  }
}
