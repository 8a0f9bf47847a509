/**
 * Folders outside the project: their paths are short enough for a socket, and have no symbolic
 * links.
 */
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

export async function placeOf(t: Test) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'place-')))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return { folder, data: join(folder, 'shop'), file: join(folder, 'shop.json') }
}
