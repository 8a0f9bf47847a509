/** Files that a run needs: in a folder of its own, which is removed at the end. */
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

let folder = null

/** Bytes of the files in a folder, without the packages nested in it. */
export function bytesIn(folder) {
  let bytes = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isFile()) bytes += statSync(path).size
    else if (entry.isDirectory() && entry.name !== 'node_modules') bytes += bytesIn(path)
  }
  return bytes
}

/** The path of a temporary file or folder. */
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
