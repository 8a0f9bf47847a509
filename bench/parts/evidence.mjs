/**
 * What the evidence costs: calls a second with journal and coverage on, against the same with them
 * off.
 */
import { emulatorsOf } from '../targets.mjs'
import { ids as kinds, measureLoad, WORK } from './throughput.mjs'

const OFF = { 'evidence.journal': false, 'evidence.coverage': false }

export const name = 'evidence'
export const ids = kinds.map(kind => `evidence.${kind}`)

/** The share of the calls a second that have to be left. */
const LEAST = 0.9

export async function run({ wanted, effort, progress }) {
  const [emulator] = emulatorsOf()
  const off = { ...emulator, name: 'off', options: { settings: OFF } }
  const titleOf = kind => ({
    id: `evidence.${kind}`,
    work: `evidence on, beside off: ${WORK[kind]}`
  })
  const rows = await measureLoad({
    kinds: kinds.filter(kind => wanted(`evidence.${kind}`)),
    targets: [off, emulator],
    effort,
    progress,
    baseline: 'off',
    titleOf
  })
  return rows.map(row => (row.unit === 'requests/s' ? { ...row, least: LEAST } : row))
}
