/** Retired and habitual words are refused with what to write instead. */
import t from 'tap'
import { parse } from 'yaml'
import { lookedAt } from '../support/first-state.js'

const entry = (words: string) => `script: [ { on: POST /refunds, ${words} } ]`
const expecting = (words: string) => `expect: [ { on: POST /refunds, ${words} } ]`
const ROWS: [document: string, path: string, instead: string][] = [
  [entry('at: noon, fault: hang'), 'script[0].at', 'from and until'],
  [entry('bandwidth: 100'), 'script[0].bandwidth', 'fault: truncated_body'],
  [entry('between: []'), 'script[0].between', 'from and until'],
  [entry('cut_after: 10'), 'script[0].cut_after', 'fault: truncated_body'],
  [entry('group_by: ticket'), 'script[0].group_by', 'per'],
  [entry('times: 2'), 'script[0].times', 'calls'],
  [entry('wait: 2s'), 'script[0].wait', 'delay'],
  [entry('after: { ended: x }'), 'script[0].after', 'the name of an entry'],
  [entry('match: { any: [] }'), 'script[0].match.any', 'an entry'],
  [entry('hold: { until: 2, once: true }'), 'script[0].hold.once', 'calls'],
  [entry('delay: { from: 1s }'), 'script[0].delay.from', 'min'],
  [entry('delay: { to: 1s }'), 'script[0].delay.to', 'max'],
  [entry('delay: { by: 1s }'), 'script[0].delay.by', 'min and max, or an entry for each'],
  ['use: [ { override: {} } ]', 'use[0]', 'the group alone'],
  [expecting('at_least: 2'), 'expect[0].at_least', 'times: 2+'],
  [expecting('at_most: 2'), 'expect[0].at_most', 'times: 0-2'],
  [expecting('count: 2'), 'expect[0].count', 'times'],
  [expecting('group_by: key'), 'expect[0].group_by', 'per'],
  [expecting('none: true'), 'expect[0].none', 'times: 0'],
  [expecting('same: key'), 'expect[0].same', 'per'],
  ['steps: [ { on: POST /refunds } ]', 'steps[0].on', 'do'],
  ['play: [ { request: POST /refunds } ]', 'play[0].request', 'do'],
  ['play: [ { at_once: [ { on: x } ] } ]', 'play[0].at_once[0].on', 'do'],
  ['generate: [ { weekdays: {} } ]', 'generate[0].weekdays', 'instants in created'],
  ['generate: [ { created: { hours: 1 } } ]', 'generate[0].created.hours', 'from and to alone']
]

for (const [document, path, instead] of ROWS)
  t.test(`${path} is refused with what to write instead`, async t => {
    const { problems } = await lookedAt(parse(document))
    const messages = problems.flatMap(problem => (problem.path === path ? problem.message : []))
    t.match(messages, [`; write ${instead}`])
  })
