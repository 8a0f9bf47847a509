/** Loads the scenario that the emulator starts with. */
import type { FastifyInstance } from 'fastify'
import { withoutSecrets } from './core/redaction.js'
import { playIn } from './engine/play.js'
import type { Sandboxes } from './sandbox/sandboxes.js'
import type { DataFolder } from './sandbox/saved/data-folder.js'
import { documentOf, problemLine } from './scenario/documents.js'
import { isPath, type Library } from './scenario/library.js'
import type { GivenVariables } from './scenario/shape/variables.js'

export type StartOptions = {
  /** A name, a file's path, or a document. */
  scenario: string | object
  /** Values of its variables. */
  vars?: GivenVariables | undefined
  /** Called with each warning, which is logged too. */
  warn?: (line: string) => void
}
type Parts = {
  app: FastifyInstance
  library: Library
  sandboxes: Sandboxes
  folder: DataFolder | null
}

/** Errors: of the scenario, the disk. */
export async function loadStart(
  { scenario, vars, warn = () => {} }: StartOptions,
  { app, library, sandboxes, folder }: Parts
): Promise<{ name: string }> {
  const { document, origin } = await startDocument(scenario, library)
  await folder?.writable()
  const loaded = await sandboxes.start(document, origin, {
    play: playIn,
    variables: vars,
    warn: warnings => {
      for (const warning of warnings) {
        const line = withoutSecrets(problemLine(warning))
        app.log.warn(line)
        warn(line)
      }
    }
  })
  await folder?.saved()
  return loaded
}

async function startDocument(scenario: string | object, library: Library) {
  if (typeof scenario === 'object')
    return {
      document: documentOf('scenario', scenario),
      origin: { name: 'inline', file: null }
    }
  const document = isPath(scenario)
    ? await library.file(scenario)
    : await library.scenario(scenario)
  return { document, origin: { name: scenario, file: document.name } }
}
