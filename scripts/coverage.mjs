/**
 * What tap's report of coverage passes over: functions without a name that share their lines with
 * others, as in `check(value, () => 'must not be empty')`, and files that no test loads. Ends with
 * status 1 where there are such.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { pathToFileURL } from 'node:url'
import { compiled } from '../test/support/loader.mjs'

/** A function that does nothing, or stands in for what is missing, has nothing to cover. */
const NOTHING = /^\(\w*\) => (\{\s*\}|void 0|false|null|\[\])$/
/** V8 reports neither what a browser runs nor what the thread of a worker does. */
const SOURCE = /^(?!console\/ui\/|worker-script).*(?<!\.d)\.tsx?$/

/** How often each function of each file was called, by its range, over all processes. */
function callsOf(reports) {
  const files = new Map()
  for (const { url, functions } of reports.flatMap(({ result }) => result)) {
    const file = url.split('?')[0]
    const calls = files.get(file) ?? new Map()
    files.set(file, calls)
    for (const { ranges } of functions) {
      const [{ startOffset, endOffset, count }] = ranges
      const range = `${startOffset}-${endOffset}`
      calls.set(range, (calls.get(range) ?? 0) + count)
    }
  }
  return files
}

/** The code of a compiled module, and where its offsets are in the source. */
function moduleOf(url) {
  const [code, map] = compiled(url, readFileSync(new URL(url), 'utf8')).split(/\/\/# .*base64,/)
  const mapped = new SourceMap(JSON.parse(Buffer.from(map, 'base64')))
  const lineAt = offset => {
    const lines = code.slice(0, offset).split('\n')
    return mapped.findEntry(lines.length - 1, lines.at(-1).length).originalLine + 1
  }
  return { code, lineAt }
}

/** Sentences about what the reports of V8 say no test called or loaded, of the files of a folder. */
export function uncovered(reports, folder) {
  const files = callsOf(reports)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => name.replaceAll('\\', '/'))
    .filter(name => SOURCE.test(name))
    .sort()
    .flatMap(name => {
      const url = String(new URL(name, folder))
      const calls = files.get(url)
      const never = [...(calls ?? [])].filter(([, count]) => count === 0)
      if (calls && never.length === 0) return []
      const { code, lineAt } = moduleOf(url)
      // types alone are never loaded
      if (!calls) return code.trim() === '' ? [] : [`${name}: no test loads it`]
      return never.flatMap(([range]) => {
        const [start, end] = range.split('-').map(Number)
        const text = code.slice(start, end)
        return NOTHING.test(text)
          ? []
          : [`${name}:${lineAt(start)}: no test calls ${text.replace(/\s+/g, ' ').slice(0, 80)}`]
      })
    })
}

const REPORTS = new URL('../.tap/coverage/', import.meta.url)
if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url) {
  const names = existsSync(REPORTS) ? readdirSync(REPORTS) : []
  const reports = names.map(name => JSON.parse(readFileSync(new URL(name, REPORTS), 'utf8')))
  const problems = names.length > 0 ? uncovered(reports, new URL('../src/', import.meta.url)) : []
  for (const problem of problems) console.log(`NOT COVERED src/${problem}`)
  if (problems.length > 0) process.exitCode = 1
}
