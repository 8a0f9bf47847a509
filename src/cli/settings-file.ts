/** Files of settings: what `check --write-settings` writes, and `--settings` reads. */
import { writeFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { checkerOf } from '../core/checking.js'
import { partAt } from '../core/places.js'
import { isObject } from '../core/schema-words.js'
import { flattened, type GivenSettings, nested, settingsSchema } from '../core/settings.js'
import { jsonText } from '../reports/formats.js'
import { settingsYaml } from '../reports/text.js'
import { refusalOf } from '../scenario/documents.js'
import { textOf } from '../scenario/library.js'
import { below, readDocument } from '../scenario/read/document.js'
import { withNumbers } from '../scenario/read/numbers.js'
import { Failure } from './failures.js'
import { reasonOf, SAYS } from './sentences.js'

const CHECKER = checkerOf(() => settingsSchema(() => true))

export async function writeSettings(file: string, settings: GivenSettings): Promise<void> {
  await writeFile(
    file,
    extname(file) === '.json' ? jsonText({ settings: nested(settings) }) : settingsYaml(settings)
  ).catch(error => {
    throw new Failure(SAYS.unwritten(file, reasonOf('write', error)))
  })
}

/** At its top level or under `settings`. Errors: `document_invalid`, of files. */
export async function readSettings(file: string): Promise<GivenSettings> {
  const document = await readDocument(file, await textOf(file))
  const { data } = document
  const under = isObject(data) && 'settings' in data ? ['settings'] : []
  const settings = partAt(data, under)
  const problems = isObject(settings)
    ? withNumbers(below(document, under), settings, CHECKER.problems(nested(flattened(settings))))
    : [{ steps: [], code: 'wrong_type', message: SAYS.settings_object() }]
  if (problems.length > 0)
    throw await refusalOf(
      problems.map(problem => ({ document, ...problem, steps: [...under, ...problem.steps] }))
    )
  return flattened(Object(settings)) as GivenSettings
}
