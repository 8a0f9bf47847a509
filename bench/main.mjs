/**
 * The benchmark: every kind of work beside its control, in one table. README.md in this folder says
 * how to read it.
 *   npm run bench -- [--only throughput,start] [--all] [--quick] [--before DIR] [--peers DIR]
 * [--json FILE] [--compare FILE] [--markdown] [--plots DIR]
 * Exit status 1 when a row is beyond a limit of its own.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { optionsOf, refuse } from './command.mjs'
import { peersIn } from './peers.mjs'
import { writePlots } from './plots.mjs'
import { isBeyond } from './rows.mjs'
import { measureRows, NAMES, unknownIn } from './run.mjs'
import { containerEngine, machine } from './servers.mjs'
import { markdownTable, textTable } from './table.mjs'
import { emulatorsOf } from './targets.mjs'

const USAGE = `npm run bench -- [--only NAME,…] [--all] [--quick] [--before DIR] [--peers DIR] [--image NAME] [--records N] [--seconds S]
                 [--json FILE] [--compare FILE] [--markdown] [--plots DIR]
bench/README.md says what each does.`

const values = optionsOf(
  {
    only: { type: 'string' },
    all: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    before: { type: 'string' },
    peers: { type: 'string' },
    image: { type: 'string' },
    records: { type: 'string' },
    seconds: { type: 'string', default: '150' },
    json: { type: 'string' },
    compare: { type: 'string' },
    markdown: { type: 'boolean', default: false },
    plots: { type: 'string' }
  },
  USAGE
)
const only = values.only?.split(',')
const unknown = unknownIn(only ?? [])
if (unknown.length > 0)
  refuse(`No part or row is called ${unknown.join(', ')}. There are: ${NAMES.join(', ')}.`)

const emulators = emulatorsOf(values.before && resolve(values.before))
const earlier = values.compare ? JSON.parse(readFileSync(values.compare, 'utf8')).rows : null
const rows = await measureRows({
  only,
  isAll: values.all,
  effort: values.quick ? 'quick' : 'full',
  emulators,
  peers: values.peers ? await peersIn(resolve(values.peers), emulators[0]) : [],
  records: Number(values.records ?? (values.quick ? 100_000 : 1_000_000)),
  seconds: Number(values.seconds),
  image: values.image ? { engine: containerEngine(), name: values.image } : null
})

const { node, cores, processor } = machine()
console.log(`${processor}, ${cores} cores, node ${node}; medians of rounds in turn\n`)
console.log(values.markdown ? markdownTable(rows, earlier) : textTable(rows, earlier))
if (values.json) writeFileSync(values.json, `${JSON.stringify({ ...machine(), rows }, null, 2)}\n`)
if (values.plots) writePlots(rows, values.plots)
for (const row of rows.filter(isBeyond)) {
  console.error(
    `${row.id}: beyond its limit, ${row.least === undefined ? `at most ${row.most}` : `at least ${row.least}`}`
  )
  process.exitCode = 1
}
