/** `npm run fuzz -- --seed 7 --count 50000`: prints the seed, what was found, and a summary; exits 1 when anything was found. */
import { parseArgs } from 'node:util'
import { fuzz } from './fuzz.js'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    count: { type: 'string', default: '50000' },
    first: { type: 'string', default: '0' },
    lanes: { type: 'string', default: '8' }
  }
})

function whole(name: keyof typeof values, text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  console.error(`--${name}: a whole number was expected, not ${text}.`)
  process.exit(2)
}

const seed = whole('seed', values.seed ?? String(Date.now() % 1_000_000))
const count = whole('count', values.count)
console.log(`fuzz: seed ${seed}, ${count} requests; the same again: npm run fuzz -- --seed ${seed} --count ${count}`)
const { requests, statuses, findings, memory, seconds } = await fuzz({
  ...{ seed, count, first: whole('first', values.first), lanes: whole('lanes', values.lanes) },
  tell: line => console.log(line)
})

const mebibytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(1)} MiB`
const { before, after } = memory
console.log(`
  Requests  ${requests} in ${Math.round(seconds)} s
  Answers   ${Object.entries(statuses)
    .map(([status, times]) => `${status}: ${times}`)
    .join(', ')}
  Heap      ${mebibytes(before.heap)} after a fifth of them, ${mebibytes(after.heap)} at the end
  Process   ${mebibytes(before.rss)} after a fifth of them, ${mebibytes(after.rss)} at the end
  Findings  ${findings.length === 0 ? 'none' : findings.length}`)
process.exitCode = findings.length === 0 ? 0 : 1
