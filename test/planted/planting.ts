/**
 * Runs tests on sources with one planted defect, which is loaded in place of the source: no file of
 * the project is written.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Defect, ROOT } from './defects.js'

/** Maximum milliseconds of a test file. */
const MAX_WAIT = 120_000
/** Test files to run at once. */
const LANES = 2
/** Loaders of a test file; the last is asked first. */
const LOADERS = ['../support/typescript.mjs', './plant.mjs'].flatMap(file => [
  '--import',
  String(new URL(file, import.meta.url))
])
/** The environment of a test outside a test runner; it stops at its first failure. */
const ENVIRONMENT = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/TAP|^NODE_OPTIONS$/.test(name))
  ),
  TAP_BAIL: '1',
  TAP_TIMEOUT: '0'
}

/** The first test file that fails with the defect; null if all pass. */
export async function caughtBy(
  defect: Pick<Defect, 'file' | 'text'>,
  tests: readonly string[]
): Promise<string | null> {
  for (const test of tests) if (!(await passes(test, defect))) return test
  return null
}

/** Whether a test file passes, with its own folder for the files that it writes. */
export async function passes(
  test: string,
  { file, text }: Pick<Defect, 'file' | 'text'> = { file: '', text: '' }
): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'commerce-emulator-planted-'))
  const env = {
    ...ENVIRONMENT,
    PLANTED: JSON.stringify({ url: String(pathToFileURL(ROOT + file)), text }),
    TAP_CWD: folder
  }
  const child = spawn(process.execPath, [...LOADERS, test], {
    cwd: ROOT,
    env,
    stdio: 'ignore',
    timeout: MAX_WAIT,
    killSignal: 'SIGKILL'
  })
  const code = await new Promise((resolve, reject) =>
    child.once('error', reject).once('close', resolve)
  )
  await rm(folder, { recursive: true, force: true })
  return code === 0
}

/** Processes a list in order, as many items at once as test files may run. */
export async function inLanes<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>
): Promise<void> {
  const left = items.values()
  const lane = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}
