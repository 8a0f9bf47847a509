/** `npm run docs`, `schema`, `openapi` and the build's types: each writes the files of that name that are made from the tables in the code. */
import { mkdir, writeFile } from 'node:fs/promises'
import { publishedSchema } from '../../src/scenario/published-schema.js'
import { VERSION } from '../../src/version.js'
import { declarations, methods } from './declarations.js'
import { publishedDocument } from './openapi.js'
import { REFERENCE_PAGES } from './reference.js'

type Files = Readonly<Record<string, () => string | Promise<string>>>

const schemaText = (kind: 'fixture' | 'scenario' | 'script') => () => `${JSON.stringify(publishedSchema(kind), null, 2)}\n`
const WRITTEN: Readonly<Record<string, Files>> = {
  docs: Object.fromEntries(Object.entries(REFERENCE_PAGES).map(([name, page]) => [`docs/reference/${name}`, page])),
  schema: {
    'docs/schema/fixture.json': schemaText('fixture'),
    'docs/schema/scenario.json': schemaText('scenario'),
    'docs/schema/script.json': schemaText('script')
  },
  types: { 'dist/generated/client/documents.ts': declarations, 'dist/generated/client/methods.ts': methods },
  openapi: { 'docs/openapi.json': () => publishedDocument(VERSION) }
}

for (const [path, text] of Object.entries(WRITTEN[process.argv[2] ?? ''] ?? {})) {
  const file = new URL(`../../${path}`, import.meta.url)
  await mkdir(new URL('.', file), { recursive: true })
  await writeFile(file, await text())
}
