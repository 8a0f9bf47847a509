/**
 * What `npm test` prints: on a terminal tap's own view; in a pipe a line for each file, what failed,
 * and why tests were skipped. Of the failures of one assertion the first is shown whole, and the
 * others are counted in the list at the end.
 * Reads TAP as tap writes it: a subtest is announced by `# Subtest: NAME`, its points are indented
 * by four more, its result follows.
 */
import { Transform } from 'node:stream'
import { Base } from '@tapjs/reporter'

const seconds = milliseconds => `${(milliseconds / 1000).toFixed(1)} s`.padStart(8)

/** The parts of the details of a failure, by name, each as it is written. */
function partsOf(details) {
  const parts = new Map()
  let lines
  for (const line of details) {
    const [, name] = /^(\w+):/.exec(line) ?? []
    if (name !== undefined) {
      lines = []
      parts.set(name, lines)
    }
    lines?.push(line)
  }
  return parts
}

/** What says nothing of a failure, or is what its place says. */
const NOISE = /^(at|compare|stdio|cwd|externalID|command|args|jobId|expired)$/

/** What a failure is shown with: first what differs. */
function shownOf(parts) {
  const { source = [], stack = [], ...rest } = Object.fromEntries(parts)
  const told = Object.entries(rest).flatMap(([name, lines]) => (NOISE.test(name) ? [] : lines))
  const calls = stack.filter(line => line.trim() !== '' && !line.includes('node_modules'))
  return [...told, ...source, ...(calls.length > 2 ? calls : [])]
}

export class Lines extends Transform {
  #rest = ''
  /** The names of the subtests that a line stands in, by depth. */
  #names = []
  /** The failure whose details come next: its names, where they are indented, their lines. */
  #failure = null
  /** The file whose failure came last. */
  #file
  /** How often each failure came, and what it is called, by its place. */
  #failures = new Map()
  #skipped = new Map()

  _transform(chunk, _encoding, done) {
    const lines = (this.#rest + chunk).split('\n')
    this.#rest = lines.pop()
    for (const line of lines) this.#line(line)
    done()
  }

  _flush(done) {
    for (const [reason, count] of this.#skipped)
      this.push(`skipped ${String(count).padStart(3)}: ${reason}\n`)
    if (this.#failures.size > 0) this.push('\nFailed, the first of each place shown above:\n')
    for (const [place, { title, count }] of this.#failures)
      this.push(`  ${place}${count > 1 ? ` (${count} times)` : ''}${title && `  ${title}`}\n`)
    done()
  }

  #line(line) {
    const text = line.trimStart()
    const indent = line.length - text.length
    if (this.#failure !== null) {
      const { details, at } = this.#failure
      if (indent !== at || !/^(---|\.\.\.)$/.test(text)) details.push(line.slice(at))
      else if (text === '...') this.#fail(this.#failure)
      return
    }
    const depth = indent / 4
    const subtest = /^# Subtest: (.*)/.exec(text)
    if (subtest) this.#names.splice(depth, Infinity, subtest[1])
    else if (indent === 0 && /^(#|Bail out!)/.test(text)) this.push(`${text}\n`)
    else
      this.#point(
        /^(not )?ok \d+(?: - (.*?))?(?: # (SKIP|TODO|time=([\d.]+)ms) ?(.*?))?(?: \{)?$/.exec(text),
        depth
      )
  }

  #point(point, depth) {
    if (point === null) return
    const [, not, name = '', directive, time, reason] = point
    const isSubtest = this.#names.length > depth && this.#names[depth] === name
    const names = [...this.#names.slice(0, depth), name]
    if (isSubtest) this.#names.length = depth
    if (directive === 'SKIP')
      this.#skipped.set(reason || name, (this.#skipped.get(reason || name) ?? 0) + 1)
    else if (depth === 0)
      this.push(`${not ? 'FAILED' : 'passed'} ${seconds(Number(time ?? 0))}  ${name}\n`)
    // a file that failed for what it has shown says nothing more
    const isTold = isSubtest && (depth > 0 || this.#file === name)
    if (not && directive !== 'TODO' && !isTold)
      this.#failure = { names, at: depth * 4 + 2, details: [] }
  }

  #fail({ names, details }) {
    this.#failure = null
    this.#file = names[0]
    const parts = partsOf(details)
    const place = /fileName: (.*)\n.*lineNumber: (\d+)/.exec(parts.get('at')?.join('\n') ?? '')
    const title = [...names, ...(parts.get('expired') ?? [])].join(' > ')
    const key = place ? `${place[1]}:${place[2]}` : title
    const known = this.#failures.get(key)
    if (known) return void known.count++
    this.#failures.set(key, { title: place ? title : '', count: 1 })
    const shown = shownOf(parts).map(line => `    ${line}\n`)
    this.push(`FAILED ${title}\n${place ? `    at ${key}\n` : ''}${shown.join('')}`)
  }
}

export default process.stdout.isTTY ? Base : Lines
