/**
 * `npm run fuzz -- --seed 7 --count 50000`: prints the seed, findings, and a summary; exits with 1
 * if anything was found. `--control` sends control documents, generated from the JSON Schemas and
 * damaged, while a neighbour sends requests. `--data` has the emulator keep its state in a file,
 * `--first N` begins with the seed's Nth request, `--lanes N` sends N at once.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { fuzzControl } from './control.js'
import { fuzz } from './fuzz.js'

function whole(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('must be a whole number, such as 7')
}

const values = new Command('npm run fuzz --')
  .option('--seed <number>', 'what is drawn', whole, Date.now() % 1_000_000)
  .option(
    '--count <number>',
    'how many requests, 50000 if not given, or control documents, 20000',
    whole
  )
  .option('--first <number>', "begin with the seed's request of this number", whole, 0)
  .option('--lanes <number>', 'how many requests at once', whole, 8)
  .option('--data', 'keep the state of the emulator in a file')
  .option('--control', 'post control documents instead')
  .parse()
  .opts<{
    seed: number
    count?: number
    first: number
    lanes: number
    data?: true
    control?: true
  }>()

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(2))
const { seed, first, lanes, control, data, count = control ? 20_000 : 50_000 } = values
const options = `${control ? ' --control' : ''}${data ? ' --data' : ''}`
console.log(`fuzz: the same again: npm run fuzz --${options} --seed ${seed} --count ${count}`)
const tell = (line: string) => console.log(line)
const mebibytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(1)} MiB`
const folder = data ? await mkdtemp(join(tmpdir(), 'commerce-emulator-fuzz-')) : null
const facts: [name: string, value: string][] = []
const run = async () => {
  if (control) {
    const report = await fuzzControl({ seed, count, first, tell })
    facts.push(
      ['Documents', String(report.documents)],
      [
        'Waits',
        `${Math.round(report.longest)} ms at most; ${report.again} documents were posted again`
      ]
    )
    return report
  }
  const report = await fuzz({ seed, count, first, lanes, folder, tell })
  const { before, after } = report.memory
  const grown = (what: keyof typeof before) =>
    `${mebibytes(before[what])} after a fifth of them, ${mebibytes(after[what])} at the end`
  facts.push(
    ['Requests', String(report.requests)],
    ['Heap', grown('heap')],
    ['Process', grown('rss')]
  )
  return report
}
const { statuses, findings, seconds } = await run()
if (folder !== null) await rm(folder, { recursive: true, force: true })
const answers = Object.entries(statuses).map(([status, times]) => `${status}: ${times}`)
facts.push(
  ['Seconds', String(Math.round(seconds))],
  ['Answers', answers.join(', ')],
  ['Findings', String(findings.length || 'none')]
)
for (const [name, value] of facts) console.log(`  ${name.padEnd(10)} ${value}`)
process.exit(findings.length === 0 ? 0 : 1)
