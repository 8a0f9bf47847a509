/**
 * `npm run fuzz -- --seed 7 --count 50000`: prints the seed, what was found, and a summary; exits 1 when anything was found.
 * `--control` posts control documents, grown from the JSON Schemas and broken, while a neighbour calls.
 * `--data` has the emulator keep its state in a file, `--first N` begins with the seed's Nth request, `--lanes N` sends so many at once.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { fuzzControl } from './control.js'
import { fuzz } from './fuzz.js'

/** A whole number of an option. Errors: `InvalidArgumentError`. */
function whole(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('must be a whole number, such as 7')
}

const values = new Command('npm run fuzz --')
  .option('--seed <number>', 'what is drawn', whole, Date.now() % 1_000_000)
  .option('--count <number>', 'how many requests, 50000 if not given, or control documents, 20000', whole)
  .option('--first <number>', "begin with the seed's request of this number", whole, 0)
  .option('--lanes <number>', 'how many requests at once', whole, 8)
  .option('--data', 'keep the state of the emulator in a file')
  .option('--control', 'post control documents instead')
  .parse()
  .opts<{ seed: number; count?: number; first: number; lanes: number; data?: true; control?: true }>()

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(2))
const { seed, first, lanes, count = values.control ? 20_000 : 50_000 } = values
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
