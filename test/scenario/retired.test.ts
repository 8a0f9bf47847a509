/** Such words are refused with what to write instead. */
import t from 'tap'
import { parse } from 'yaml'
import { lookedAt } from '../support/first-state.js'

/** Where a word is written, as its document says `WORD`, and what to write instead. */
const ROWS: [path: string, document: string, instead: Record<string, string>][] = parse(`
- - script[0]
  - 'script: [{ on: POST /refunds, WORD: x }]'
  - { at: from and until, bandwidth: 'fault: truncated_body', between: from and until, cut_after: 'fault: truncated_body',
      group_by: per, times: calls, wait: delay }
- ['script[0].match', 'script: [{ on: POST /refunds, match: { WORD: x } }]', { any: an entry }]
- ['script[0].hold', 'script: [{ on: POST /refunds, hold: { WORD: x } }]', { once: calls }]
- ['script[0].delay', 'script: [{ on: POST /refunds, delay: { WORD: x } }]', { from: min, to: max, by: 'min and max, or an entry for each' }]
- ['script[0]', 'script: [{ on: POST /refunds, WORD: { ended: x } }]', { after: the name of an entry }]
- ['', 'WORD: [{ override: {} }]', { 'use[0]': the group alone }]
- - expect[0]
  - 'expect: [{ on: POST /refunds, WORD: x }]'
  - { at_least: 'times: 2+', at_most: 'times: 0-2', count: times, group_by: per, none: 'times: 0', same: per }
- ['steps[0]', 'steps: [{ WORD: x }]', { on: do, request: do }]
- ['play[0].at_once[0]', 'play: [{ at_once: [{ WORD: x }] }]', { on: do }]
- ['generate[0]', 'generate: [{ WORD: x }]', { weekdays: instants in created }]
- ['generate[0].created', 'generate: [{ created: { WORD: x } }]', { hours: from and to alone }]
`)

for (const [under, document, words] of ROWS)
  for (const [word, instead] of Object.entries(words)) {
    const path = under ? `${under}.${word}` : word
    t.test(`${path} is refused with what to write instead`, async t => {
      const { problems } = await lookedAt(parse(document.replace('WORD', word.replace('[0]', ''))))
      const messages = problems.flatMap(problem => (problem.path === path ? problem.message : []))
      t.match(messages, [`; write ${instead}`])
    })
  }
