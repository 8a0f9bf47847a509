/**
 * Checks the shipped documents and writes them into dist/documents/ as JSON, so that a start
 * neither reads YAML nor checks them.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { preparedName } from '../../src/scenario/library.js'
import { readDocument } from '../../src/scenario/read/document.js'
import { problemLine } from '../../src/scenario/read/refusal.js'
import { isSharedScript } from '../../src/scenario/script/shared-script.js'
import { FIXTURE_CHECKER } from '../../src/scenario/shape/parts.js'
import { SCENARIO_CHECKER, SHARED_SCRIPT_CHECKER } from '../../src/scenario/shape/scenario.js'
import { expandVariables } from '../../src/scenario/shape/variables.js'

const ROOT = new URL('../../', import.meta.url)
const FOLDER = new URL('dist/documents/', ROOT)
const KINDS = { fixtures: 'fixture', scenarios: 'scenario' } as const
const CHECKERS = {
  fixture: FIXTURE_CHECKER,
  scenario: SCENARIO_CHECKER,
  shared: SHARED_SCRIPT_CHECKER
}

const fail = (message: string): never => {
  throw new Error(message)
}

await mkdir(FOLDER, { recursive: true })
for (const [folder, kind] of Object.entries(KINDS)) {
  for (const file of await readdir(new URL(folder, ROOT))) {
    const text = await readFile(new URL(`${folder}/${file}`, ROOT), 'utf8')
    const { data } = await readDocument(file, text)
    const isShared = isSharedScript(data)
    expandVariables(data, CHECKERS[isShared ? 'shared' : kind].problems, {
      overrides: [],
      report: (steps, said) => fail(problemLine({ file, path: steps.join('.'), ...said }))
    })
    await writeFile(
      new URL(preparedName(text), FOLDER),
      JSON.stringify({ ...(!isShared && { checkedAs: kind }), data })
    )
  }
}
