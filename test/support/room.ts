/**
 * Runs the test files of folders in one process, in order: starting a process costs more than most
 * of them.
 */
import { readdirSync } from 'node:fs'
import t from 'tap'

const TESTS = new URL('../', import.meta.url)

const filesOf = (folder: string): string[] =>
  readdirSync(new URL(folder, TESTS))
    .filter(name => name.endsWith('.test.ts'))
    .sort()
    .map(name => `${folder}/${name}`)

/** Loads a file after the tests of the previous file, which cleans up. */
export async function runTogether(...folders: string[]): Promise<void> {
  const closings: (() => unknown)[] = []
  // tap's own would end the process while no test waits, as when the next file is loaded
  Object.assign(t, { teardown: (close: () => unknown) => closings.unshift(close) })
  for (const file of folders.flatMap(filesOf)) {
    await import(String(new URL(file.replace(/\.ts$/, '.js'), TESTS)))
    await t.test(file, async t => {
      for (const close of closings.splice(0)) await close()
      t.pass('all of it has run')
    })
  }
}
