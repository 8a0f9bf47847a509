/** `npm run openapi`: writes docs/openapi.json, the document of an emulator that is started without options. */
import { writeFile } from 'node:fs/promises'
import { publishedDocument } from '../control/openapi.js'
import { VERSION } from '../version.js'

await writeFile(new URL('../../docs/openapi.json', import.meta.url), publishedDocument(VERSION))
