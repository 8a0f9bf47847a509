/** All decisions have the same form, and the index lists them. */
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'

const folder = new URL('../../docs/decisions/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')
const names = readdirSync(folder)
  .filter(name => name !== 'README.md')
  .sort()

t.test('decisions: each has a title and all its parts, and the index lists it', t => {
  const lines = names.map(name => {
    const text = read(name)
    t.match(name, /^\d\d-[a-z0-9-]+\.md$/)
    t.match(text, /^# \S.*\n\nDecision: \S/, name)
    const labels = [...text.matchAll(/^(Decision|Why|Instead|Cost|Alternative): /gm)]
      .map(([, label]) => label)
      .join(' ')
    t.match(labels, /^Decision Why( Instead)+ Cost$/, `${name}: ${labels}`)
    t.ok(text.trim().split('\n').length <= 10, `${name}: at most ten lines`)
    return `- [${name.slice(0, 2)}: ${text.split('\n')[0]?.slice(2)}](${name})`
  })
  t.strictSame(read('README.md').match(/^- .*$/gm), lines)
  t.equal(new Set(names.map(name => name.slice(0, 2))).size, names.length, 'a number each')
  t.end()
})
