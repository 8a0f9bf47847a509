/** Runs the test files of folders in this process, one after another: starting a process costs more than most of them. */
import { readdirSync } from 'node:fs'
import t from 'tap'

const TESTS = new URL('../', import.meta.url)

/** The test files of a folder. */
export const filesOf = (folder: string): string[] =>
  readdirSync(new URL(folder, TESTS))
    .filter(name => name.endsWith('.test.ts'))
    .sort()
    .map(name => `${folder}/${name}`)

/** A file starts once the tests of the one before have ended, as they stand in line with the test that loads it. */
export async function runTogether(...folders: string[]): Promise<void> {
  for (const file of folders.flatMap(filesOf)) {
    await t.test(file, async t => {
      await import(String(new URL(file.replace(/\.ts$/, '.js'), TESTS)))
      t.pass('loaded')
    })
  }
}
