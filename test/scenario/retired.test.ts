/** Retired words are refused with what to write instead. */
import t from 'tap'
import { parse } from 'yaml'
import { lookedAt } from '../support/first-state.js'

const entry = (words: string) => `script: [ { on: POST /refunds, ${words} } ]`
const expecting = (words: string) => `expect: [ { on: POST /refunds, ${words} } ]`
const ROWS: [document: string, path: string, instead: string][] = [
  [entry('at: noon, fault: hang'), 'script[0].at', 'from and until'],
  [entry('bandwidth: 100'), 'script[0].bandwidth', 'fault: truncated_body'],
  [entry('cut_after: 10'), 'script[0].cut_after', 'fault: truncated_body'],
  [entry('match: { any: [] }'), 'script[0].match.any', 'an entry'],
  [entry('hold: { until: 2, once: true }'), 'script[0].hold.once', 'calls'],
  [entry('delay: { from: 1s }'), 'script[0].delay.from', 'min and max, or an entry for each'],
  ['use: [ { override: {} } ]', 'use[0]', 'the group alone'],
  [expecting('at_least: 2'), 'expect[0].at_least', 'times: 2+'],
  [expecting('at_most: 2'), 'expect[0].at_most', 'times: 0-2'],
  [expecting('same: key'), 'expect[0].same', 'per'],
  ['generate: [ { created: { hours: 1 } } ]', 'generate[0].created.hours', 'from and to alone']
]

for (const [document, path, instead] of ROWS)
  t.test(`${path} is retired`, async t => {
    const { problems } = await lookedAt(parse(document))
    const messages = problems.flatMap(problem => (problem.path === path ? problem.message : []))
    t.match(messages, [`; write ${instead}`])
  })
