/**
 * What `npm test` prints: on a terminal tap's own view; in a pipe a line for each file, what
 * failed, and why tests were skipped.
 * Reads TAP as tap writes it: a subtest is announced by `# Subtest: NAME`, its points are indented
 * by four more, its result follows.
 */
import { Transform } from 'node:stream'
import { Base } from '@tapjs/reporter'

const seconds = milliseconds => `${(milliseconds / 1000).toFixed(1)} s`.padStart(8)

class Lines extends Transform {
  #rest = ''
  /** The names of the subtests that a line stands in, by depth. */
  #names = []
  /** The failure whose details come next, and where they end. */
  #details = null
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
    done()
  }

  #line(line) {
    const text = line.trimStart()
    const indent = line.length - text.length
    if (this.#details !== null) {
      if (text === '...' && indent === this.#details) this.#details = null
      else if (text !== '---') this.push(`    ${line.slice(this.#details)}\n`)
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
    if (directive === 'SKIP')
      this.#skipped.set(reason || name, (this.#skipped.get(reason || name) ?? 0) + 1)
    else if (depth === 0)
      this.push(`${not ? 'FAILED' : 'passed'} ${seconds(Number(time ?? 0))}  ${name}\n`)
    else if (not && !isSubtest) {
      this.push(`FAILED ${[...this.#names.slice(0, depth), name].join(' > ')}\n`)
      this.#details = depth * 4 + 2
    }
    if (isSubtest) this.#names.length = depth
  }
}

export default process.stdout.isTTY ? Base : Lines
