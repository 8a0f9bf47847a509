/** Files that a run needs: in a folder of its own, which is removed at the end. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

let folder = null

/** The path of a temporary file. */
export function temporary(name) {
  if (folder === null) {
    const made = mkdtempSync(join(tmpdir(), 'bench-'))
    // nginx works as another user
    chmodSync(made, 0o777)
    process.on('exit', () => rmSync(made, { recursive: true, force: true }))
    folder = made
  }
  return join(folder, name)
}

/** Writes a document and returns its path. */
export function writeDocument(name, document) {
  const path = temporary(name)
  writeFileSync(path, JSON.stringify(document))
  return path
}

/**
 * A scenario with generated Transactions besides those of the default one, at two Locations, over
 * two months.
 */
export function generated(count) {
  const created = { from: '2026-01-11', to: '2026-03-01' }
  const halves = ['loc_bistro', 'loc_bakery'].map(location => ({
    transactions: Math.ceil(count / 2),
    location,
    created
  }))
  return writeDocument(`generated-${count}.json`, {
    name: `generated-${count}`,
    fixtures: ['bistro'],
    generate: halves
  })
}
