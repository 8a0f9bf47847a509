/**
 * Writes the Postman and the Bruno collection, made from the OpenAPI document of a running emulator:
 * `commerce-emulator exec --allow-no-requests -- node make-collections.mjs`.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { collectionsOf } from './collections.mjs'

const { COMMERCE_CONTROL_URL = 'http://localhost:4010/_control' } = process.env
const document = await (await fetch(`${COMMERCE_CONTROL_URL}/openapi.json`)).json()

await rm(new URL('bruno/', import.meta.url), { recursive: true, force: true })
for (const [path, text] of Object.entries(collectionsOf(document))) {
  const file = fileURLToPath(new URL(path, import.meta.url))
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}
