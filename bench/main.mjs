/**
 * The benchmark: every kind of work beside its control, in one table. See README.md in this folder.
 *   npm run bench -- [--only get,list] [--quick] [--before DIR] [--json FILE] [--compare FILE] [--markdown]
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { machine, ROOT, startEmulator } from './servers.mjs'
import { markdownTable, textTable } from './table.mjs'
import * as throughput from './throughput.mjs'

const PARTS = [throughput]

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    before: { type: 'string' },
    json: { type: 'string' },
    compare: { type: 'string' },
    markdown: { type: 'boolean', default: false }
  }
})

const only = values.only?.split(',')
const known = PARTS.flatMap(({ rows }) => rows)
const unknown = only?.filter(id => !known.includes(id)) ?? []
if (unknown.length > 0) throw new Error(`No row is called ${unknown.join(', ')}. There are: ${known.join(', ')}.`)
const wanted = id => only === undefined || only.includes(id)

const dirs = { emulator: ROOT, ...(values.before && { before: resolve(values.before) }) }
const emulators = Object.fromEntries(Object.entries(dirs).map(([name, dir]) => [name, options => startEmulator({ dir, ...options })]))
const progress = text => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`)
}

const rows = []
for (const part of PARTS) {
  if (part.rows.some(wanted)) rows.push(...(await part.run({ emulators, wanted, quick: values.quick, progress })))
}
progress('')

const { node, cores, platform } = machine()
const earlier = values.compare ? JSON.parse(readFileSync(values.compare, 'utf8')).rows : null
console.log(`node ${node}, ${cores} cores, ${platform}; medians\n`)
console.log(values.markdown ? markdownTable(rows, earlier) : textTable(rows, earlier))
if (values.json) writeFileSync(values.json, `${JSON.stringify({ ...machine(), rows }, null, 2)}\n`)
