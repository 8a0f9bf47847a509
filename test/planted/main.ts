/**
 * `npm run test:planted`: plants defects into the predicates and conditions that judge requests,
 * one at a time, and checks that a test fails for each; exits with 1 if one survives. `--only FILE`
 * plants into this source alone, `--sample N --seed S` only N of the defects.
 */
import { createHash } from 'node:crypto'
import { Command, InvalidArgumentError, Option } from 'commander'
import { type Defect, defectsIn } from './defects.js'
import { HARMLESS, JUDGES, nameOf } from './judges.js'
import { caughtBy, inLanes, passes } from './planting.js'

/** A whole number of an option. Errors: `InvalidArgumentError`. */
function whole(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('must be a whole number, such as 7')
}

const { only, sample, seed } = new Command('npm run test:planted --')
  .addOption(
    new Option('--only <file>', 'plant into this source alone').choices(Object.keys(JUDGES))
  )
  .option(
    '--sample <number>',
    'plant only so many, drawn from all',
    whole,
    Number.POSITIVE_INFINITY
  )
  .option('--seed <number>', 'what is drawn', whole, 1)
  .parse()
  .opts<{ only?: string; sample: number; seed: number }>()

const files = only === undefined ? Object.keys(JUDGES) : [only]
const placeOf = (defect: Defect) => `${defect.file}:${defect.line}: ${defect.what}`
const drawn = (defect: Defect) =>
  createHash('sha256').update(`${seed} ${defect.text}`).digest('hex')

const all = defectsIn(files)
const stale = Object.keys(HARMLESS).filter(
  name =>
    files.some(file => name.startsWith(`${file}: `)) && !all.some(defect => nameOf(defect) === name)
)
if (stale.length > 0)
  throw new Error(`HARMLESS names what is not in the sources:\n${stale.join('\n')}`)
const defects =
  sample < all.length
    ? all.toSorted((one, other) => (drawn(one) < drawn(other) ? -1 : 1)).slice(0, sample)
    : all
const planted = defects.filter(defect => !(nameOf(defect) in HARMLESS))
const survivors: Defect[] = []
await inLanes(
  [...new Set(files.flatMap(file => JUDGES[file] as readonly string[]))],
  async test => {
    if (!(await passes(test))) throw new Error(`${test} fails without any defect`)
  }
)
await inLanes(planted, async defect => {
  const test = await caughtBy(defect, JUDGES[defect.file] as readonly string[])
  if (test === null) survivors.push(defect)
  console.log(
    test === null ? `SURVIVED  ${placeOf(defect)}` : `caught    ${placeOf(defect)}  (${test})`
  )
})
console.log(
  `\n${planted.length} defects planted, ${planted.length - survivors.length} caught; ${defects.length - planted.length} are harmless.`
)
for (const defect of survivors) console.log(`SURVIVED  ${placeOf(defect)}`)
process.exitCode = survivors.length === 0 ? 0 : 1
