/** One run: the parts that are wanted, one after the other. */
import * as data from './parts/data.mjs'
import * as firstTest from './parts/first-test.mjs'
import * as flat from './parts/flat.mjs'
import * as latency from './parts/latency.mjs'
import * as packageSize from './parts/package.mjs'
import * as posted from './parts/posted.mjs'
import * as sandboxes from './parts/sandboxes.mjs'
import * as size from './parts/size.mjs'
import * as start from './parts/start.mjs'
import * as throughput from './parts/throughput.mjs'

/** What a run measures when nothing is named. */
const USUAL = [throughput, latency, start, size, posted, firstTest, packageSize]
/** What is measured only when it is named. */
const MORE = [data, sandboxes, flat]
const PARTS = [...USUAL, ...MORE]

/** The names of all parts and rows. */
export const NAMES = [...new Set(PARTS.flatMap(({ name, ids }) => [name, ...ids]))]

/** The names among those given that no part or row has. */
export const unknownIn = names => names.filter(name => !NAMES.includes(name))

const progress = text => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`)
}

/**
 * Measures and returns rows.
 * @param {{ only?: string[], isAll?: boolean, effort: 'full' | 'quick' | 'check', emulators:
 * object[], peers?: object[], records?: number, seconds?: number, image?: object | null }} wanted
 *   `only` names parts or rows; `records` and `seconds` bound what is done with many Transactions
 */
export async function measureRows({ only, isAll = false, ...options }) {
  const rows = []
  for (const part of PARTS) {
    const isWhole = only === undefined ? isAll || USUAL.includes(part) : only.includes(part.name)
    const wanted = id => isWhole || only?.includes(id) === true
    if (part.ids.some(wanted))
      rows.push(...(await part.run({ ...options, peers: options.peers ?? [], wanted, progress })))
  }
  progress('')
  return rows
}
