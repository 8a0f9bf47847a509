/**
 * `npm run docs`, `schema`, `openapi` and the build's types: each writes the files of that name
 * that are made from the tables in the code.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { openApiDocument } from '../../src/control/openapi/api.js'
import { CONTROL_GROUPS } from '../../src/control/requests.js'
import { BASE } from '../../src/core/paths.js'
import { SETTINGS, settingsInForce } from '../../src/core/settings.js'
import { jsonText } from '../../src/reports/formats.js'
import { VERSION } from '../../src/scenario/library.js'
import { controlDocument } from './control-document.js'
import { declarations, methods } from './declarations.js'
import { publishedSchema, schemaAddress } from './published-schema.js'
import { REFERENCE_PAGES } from './reference.js'

type Files = Readonly<Record<string, () => string | Promise<string>>>

/** A document of the package, in lines and without the spaces that would make it larger. */
const shipped = (value: unknown) => jsonText(value).replace(/^ +/gm, '')
const schemaText = (kind: 'fixture' | 'scenario' | 'script') => () => shipped(publishedSchema(kind))
/** What SchemaStore's catalog is to hold: editors then know these files by their names. */
const catalog = () => {
  const entry = (kind: 'fixture' | 'scenario', description: string) => ({
    name: `commerce-emulator ${kind}`,
    description,
    fileMatch: ['yaml', 'yml', 'json'].map(ending => `*.${kind}.${ending}`),
    url: schemaAddress(kind, 'main'),
    versions: { [VERSION]: schemaAddress(kind) }
  })
  const entries = [
    entry('scenario', 'Scenarios of the emulator of the Commerce Service API'),
    entry('fixture', 'Records for the emulator of the Commerce Service API')
  ]
  return shipped(entries)
}
const WRITTEN: Readonly<Record<string, Files>> = {
  docs: Object.fromEntries(
    Object.entries(REFERENCE_PAGES).map(([name, page]) => [`docs/reference/${name}`, page])
  ),
  schema: {
    'docs/schema/fixture.json': schemaText('fixture'),
    'docs/schema/scenario.json': schemaText('scenario'),
    'docs/schema/script.json': schemaText('script'),
    'docs/schema/schemastore.json': catalog
  },
  types: {
    'dist/generated/client/documents.ts': declarations,
    'dist/generated/client/methods.ts': methods
  },
  openapi: {
    'docs/openapi.json': () =>
      shipped(openApiDocument({ settings: settingsInForce({}).values, version: VERSION })),
    'docs/openapi.control.json': () =>
      shipped(
        controlDocument(CONTROL_GROUPS, {
          origin: `http://localhost:${SETTINGS.port.default}`,
          base: BASE,
          version: VERSION
        })
      )
  }
}

for (const [path, text] of Object.entries(WRITTEN[process.argv[2] ?? ''] ?? {})) {
  const file = new URL(`../../${path}`, import.meta.url)
  await mkdir(new URL('.', file), { recursive: true })
  await writeFile(file, await text())
}
