/** `npm run docs`: writes the pages of docs/reference from the tables in the code. */
import { writeFile } from 'node:fs/promises'
import { REFERENCE_PAGES } from '../docs/reference.js'

for (const [name, page] of Object.entries(REFERENCE_PAGES)) await writeFile(new URL(`../../docs/reference/${name}`, import.meta.url), await page())
