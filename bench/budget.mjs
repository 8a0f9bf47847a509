/**
 * Compares this checkout with bench/budget.json in about twelve seconds: ratios beside the control,
 * and sizes. Requests and starts count by the clock or by their processor time, whichever is
 * better: other programs disturb the first.
 *   npm run bench:budget [-- --update]
 * Exit status 1 when a figure is a quarter worse than its budget in three runs of three. `--update`
 * writes the present figures, medians of three runs, as the budget.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { optionsOf } from './command.mjs'
import { judgedOf } from './rows.mjs'
import { measureRows } from './run.mjs'
import { median } from './statistics.mjs'
import { figure } from './table.mjs'
import { emulatorsOf } from './targets.mjs'

const FILE = new URL('./budget.json', import.meta.url)
const RUNS = 3
/** Times worse than the budget that fails. */
const ROOM = 1.25

const values = optionsOf(
  { update: { type: 'boolean', default: false } },
  'npm run bench:budget [-- --update]'
)
const budget = JSON.parse(readFileSync(FILE, 'utf8'))

/** The rows of the budget, by id. All are measured each time: a row alone meets colder code. */
async function measured() {
  const only = Object.keys(budget)
  const rows = await measureRows({ only, effort: 'check', emulators: emulatorsOf() })
  const byId = new Map(rows.map(row => [row.id, row]))
  const figureOf = row => {
    const time = judgedOf(byId.get(`${row.id}.cpu`) ?? row)
    return row.better === 'lower'
      ? Math.min(judgedOf(row), time)
      : Math.max(judgedOf(row), 1 / time)
  }
  return new Map(only.map(id => [id, { ...byId.get(id), judged: figureOf(byId.get(id)) }]))
}

/** How many times worse than its budget a row is; below 1 it is better. */
const worseBy = ({ id, better, judged }) =>
  better === 'lower' ? judged / budget[id] : budget[id] / judged

async function update() {
  const runs = []
  for (let run = 0; run < RUNS; run++) runs.push(await measured())
  const figures = Object.keys(budget).map(id => [
    id,
    Number(median(runs.map(rows => rows.get(id).judged)).toPrecision(3))
  ])
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(figures), null, 2)}\n`)
}

async function check() {
  let failing = Object.keys(budget)
  for (let run = 1; run <= RUNS && failing.length > 0; run++) {
    const rows = await measured()
    for (const row of failing.map(id => rows.get(id))) {
      const [is, should] = [row.judged, budget[row.id]].map(number =>
        row.baseline === null ? `${figure(number)} ${row.unit}` : `${number.toFixed(2)} ×`
      )
      const verdict =
        worseBy(row) > ROOM
          ? `  ${Math.round((worseBy(row) - 1) * 100)} % worse, run ${run} of ${RUNS}`
          : ''
      console.log(
        `${row.work.padEnd(40)}  ${is.padStart(9)}  budget ${should.padStart(9)}${verdict}`
      )
    }
    failing = failing.filter(id => worseBy(rows.get(id)) > ROOM)
  }
  if (failing.length > 0) {
    console.error(
      `Worse than the budget in ${RUNS} runs of ${RUNS}: ${failing.join(', ')}. npm run bench -- --only ${failing.join(',')} shows more.`
    )
    process.exitCode = 1
  }
}

await (values.update ? update() : check())
