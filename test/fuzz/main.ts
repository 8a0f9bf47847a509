/**
 * `npm run fuzz -- --seed 7 --count 50000`: prints the seed, what was found, and a summary; exits 1 when anything was found.
 * `--control` posts control documents, grown from the JSON Schemas and broken, while a neighbour calls.
 * `--data` has the emulator keep its state in a file, `--first N` begins with the seed's Nth request, `--lanes N` sends so many at once.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fuzzControl } from './control.js'
import { fuzz } from './fuzz.js'

const number = { type: 'string' } as const
const { values } = parseArgs({
  options: {
    seed: number,
    count: number,
    first: number,
    lanes: number,
    data: { type: 'boolean', default: false },
    control: { type: 'boolean', default: false }
  }
})

function whole(name: 'seed' | 'count' | 'first' | 'lanes', otherwise: number): number {
  const text = values[name] ?? String(otherwise)
  if (/^\d{1,9}$/.test(text)) return Number(text)
  console.error(`--${name}: a whole number was expected, such as ${otherwise}, not ${text}.`)
  process.exit(2)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(2))
const seed = whole('seed', Date.now() % 1_000_000)
const count = whole('count', values.control ? 20_000 : 50_000)
const [first, lanes] = [whole('first', 0), whole('lanes', 8)]
if (values.control) {
  console.log(`fuzz: seed ${seed}, ${count} control documents; the same again: npm run fuzz -- --control --seed ${seed} --count ${count}`)
  const { documents, statuses, findings, longest, again, seconds } = await fuzzControl({ seed, count, first, tell: line => console.log(line) })
  console.log(`
  Documents  ${documents} in ${Math.round(seconds)} s
  Answers    ${Object.entries(statuses)
    .map(([status, times]) => `${status}: ${times}`)
    .join(', ')}
  Waits      ${Math.round(longest)} ms at most; ${again} documents were posted again
  Findings   ${findings.length === 0 ? 'none' : findings.length}`)
  process.exit(findings.length === 0 ? 0 : 1)
}
console.log(`fuzz: seed ${seed}, ${count} requests; the same again: npm run fuzz -- --seed ${seed} --count ${count}${values.data ? ' --data' : ''}`)
const folder = values.data ? await mkdtemp(join(tmpdir(), 'commerce-emulator-fuzz-')) : null
const { requests, statuses, findings, memory, seconds } = await fuzz({ seed, count, first, lanes, folder, tell: line => console.log(line) })
if (folder !== null) await rm(folder, { recursive: true, force: true })

const mebibytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(1)} MiB`
const { before, after } = memory
const answers = Object.entries(statuses).map(([status, times]) => `${status}: ${times}`)
console.log(`
  Requests  ${requests} in ${Math.round(seconds)} s
  Answers   ${answers.join(', ')}
  Heap      ${mebibytes(before.heap)} after a fifth of them, ${mebibytes(after.heap)} at the end
  Process   ${mebibytes(before.rss)} after a fifth of them, ${mebibytes(after.rss)} at the end
  Findings  ${findings.length === 0 ? 'none' : findings.length}`)
process.exitCode = findings.length === 0 ? 0 : 1
