import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { SAYS } from '../../src/cli/sentences.js'
import { ran } from '../support/command.js'
import { smallFixture } from '../support/emulator.js'

const VALID = `  ✓ ${SAYS.valid()}`
const RIGHT_JSON = JSON.stringify({ data: smallFixture(), steps: [{ do: 'GET /tickets' }] })

t.test('validate, check: folders and files, each once', async t => {
  const root = t.testdir({
    some: {
      'a.json': RIGHT_JSON,
      'wrong.yaml': 'sede: 3\n',
      'package.json': '{"name":"x","version":"1","license":"MIT","scripts":{}}',
      'notes.txt': 'x',
      'empty.yml': '',
      deeper: { 'b.yml': 'data: {}' },
      node_modules: { 'c.yaml': 'sede: 3' }
    },
    nothing: { 'notes.txt': '' },
    others: { 'list.yaml': '- a\n' }
  })
  const at = (name: string) => join(root, name)
  const linesOf = async (command: string, ...places: string[]) => {
    const { status, stdout, stderr } = await ran([command, ...places])
    t.equal(stderr, '')
    return [status, ...stdout.replaceAll(`${root}/`, '').trimEnd().split('\n')]
  }
  const wrong = 'some/wrong.yaml:1:1 sede: unknown name sede; did you mean seed?'

  t.strictSame(await linesOf('validate', at('some')), [
    1,
    'some/a.json',
    VALID,
    'some/deeper/b.yml',
    VALID,
    `some/empty.yml: ${SAYS.other_document()}`,
    `some/package.json: ${SAYS.other_document()}`,
    'some/wrong.yaml',
    `  ✗ ${SAYS.valid()}`,
    `      ${wrong}`,
    '',
    '2 passed, 1 failed in 3 files; 1 file failed, 2 files left out'
  ])
  t.strictSame(await linesOf('check', `${at('some')}/`), [
    1,
    'some/a.json',
    '  ✓ 1. GET /tickets',
    `some/empty.yml: ${SAYS.other_document()}`,
    `some/package.json: ${SAYS.other_document()}`,
    'some/deeper/b.yml',
    `  ✗ ${SAYS.sends()}`,
    `      some/deeper/b.yml:1:1 ${SAYS.no_steps()}`,
    'some/wrong.yaml',
    `  ✗ ${SAYS.valid()}`,
    `      ${wrong}`,
    '',
    '1 passed, 2 failed in 3 files; 2 files failed, 2 files left out'
  ])
  const once = [0, 'some/a.json', VALID, '', '1 passed, 0 failed']
  t.strictSame(await linesOf('validate', at('some/a.json'), at('some/./a.json')), once)
  t.equal((await linesOf('validate', at('some/package.json')))[0], 1)
  t.strictSame(await linesOf('validate', at('nothing')), [
    1,
    'nothing',
    `  ✗ ${SAYS.file_exists()}`,
    `      nothing ${SAYS.no_scenario()}`,
    '',
    '0 passed, 1 failed'
  ])
  const own = ['--scenarios-dir', at('some')]
  t.strictSame(await linesOf('validate', 'a', ...own), once)
  t.match(await linesOf('check', 'default'), [0, /scenarios\/default\.yaml$/], 'a built-in one')
  t.match(await linesOf('validate', 'some', ...own), [1, 'some', /✗/, /no such file or folder/])
  t.strictSame(await linesOf('validate', at('others')), [
    1,
    `others/list.yaml: ${SAYS.other_document()}`,
    'others',
    `  ✗ ${SAYS.file_exists()}`,
    `      others ${SAYS.no_scenario()}`,
    '',
    '0 passed, 1 failed in 1 file; 1 file failed, 1 file left out'
  ])
  const junit = await ran(['check', at('others'), at('some/a.json'), '--format', 'junit'])
  t.match(junit.stdout, `<system-out>${SAYS.other_document()}</system-out>`)
  const tap = await ran(['check', at('some/a.json'), '--format', 'tap'])
  t.strictSame([tap.status, tap.stdout], [2, ''])
  t.match(tap.stderr, /Allowed choices are text, junit/)
})

t.test('check: a file of shared script entries is left out, and validated', async t => {
  const root = t.testdir({
    'own.yaml':
      'fixtures: [bistro]\nuse: [shared.yaml#slow, shared.yaml#unused]\nscript: [ { on: GET /tickets, match: { about: { location: loc_b } }, delay: 1ms } ]\nplay:\n  - { do: GET /tickets }\n',
    'shared.yaml':
      'vars: { wait: 1ms }\ngroups:\n  slow: [ { on: GET /tickets, delay: "${vars.wait}" } ]\n  unused: [ { on: POST /refunds, delay: 1ms } ]\n'
  })

  writeFileSync(join(root, 'broken.yaml'), 'a: [')
  const broken = await ran(['validate', root])
  rmSync(join(root, 'broken.yaml'))
  const checked = await ran(['check', root])
  const validated = await ran(['validate', root])
  const named = await ran(['check', join(root, 'shared.yaml')])

  t.equal(broken.status, 1)
  t.ok(
    broken.stdout.includes(`\n      ${root}/broken.yaml:1:4 the bracket is not closed`),
    broken.stdout
  )
  t.equal(checked.status, 0, checked.stdout)
  t.ok(
    checked.stdout.includes(
      `\n  ! ${SAYS.must_apply('POST /refunds')}\n      ${root}/shared.yaml:4:13 ${SAYS.never_applied()}`
    ),
    checked.stdout
  )
  t.ok(checked.stdout.includes(`${root}/shared.yaml: ${SAYS.shared_script()}\n`), checked.stdout)
  t.ok(validated.stdout.endsWith('\n2 passed, 0 failed, 1 warning in 2 files\n'), validated.stdout)
  t.equal(named.status, 1)
})

t.test('check: the line of every failure, in text and JUnit', async t => {
  const root = t.testdir({
    'own.yaml': `data: ${JSON.stringify(smallFixture({ transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }] }))}
script:
  - { name: never, on: "DELETE /accounts/{account_id}/users/{user_id}", delay: 1ms }
  - { on: POST /refunds, calls: 1, respond: { status: 503 } }
steps:
  - do: GET /tickets/tkt_a
    expect:
      status: 404
play:
  - { do: POST /refunds, body: { transaction: txn_a, amount: 1 }, expect: { status: 503 } }
  - at_once:
      - { do: POST /refunds, body: { transaction: txn_a, amount: 1 } }
      - do: GET /tickets
        query: { search_query: T }
        expect: { body: { data: [ { reference: nope } ] } }
expect:
  - { on: POST /refunds, times: 3 }
  - state:
      refunds: { count: 2 }
      transactions:
        txn_a:
          amount_refunded: 7
          payment_type: emv
`,
    'unplayed.yaml': 'expect: [ { on: GET /tickets, times: 1 } ]'
  })
  const file = `${root}/own.yaml`
  const plain = (text: string) => text.replaceAll(`${root}/`, '')

  const { status, stdout } = await ran(['check', file])
  const fails = ['--fail-on', 'script', 'search-without-narrowing']
  const strict = await ran(['check', file, ...fails])
  const junit = await ran(['check', file, ...fails, '--format', 'junit'])

  t.equal(status, 1)
  const lines = plain(stdout).split('\n')
  for (const line of [
    '      own.yaml:8:15 status: must be 404; got 200',
    '      own.yaml:15:48 body.data[0].reference: must be "nope"; got "T-1"',
    `      own.yaml:17:5 ${SAYS.counted(2)} (play 1. POST /refunds, play 2 at_once 1. POST /refunds)`,
    '      own.yaml:18:5 refunds: expected 2; got 1; transactions.txn_a.amount_refunded: expected 7; got 1; transactions.txn_a.payment_type: expected emv; got card',
    `  ! ${SAYS.must_apply('never')}`,
    `      own.yaml:3:5 ${SAYS.never_applied()}`,
    `  ! ${SAYS.must_not_cause('search-without-narrowing')}`
  ])
    t.ok(lines.includes(line), line)
  t.ok(
    lines.some(line => line.startsWith('      own.yaml:13:9 play 2 at_once 2. GET /tickets: ')),
    stdout
  )
  t.equal(lines.at(-2), '2 passed, 4 failed, 2 warnings')
  t.ok(
    (await ran(['check', `${root}/unplayed.yaml`])).stdout.includes(
      `unplayed.yaml:1:11 ${SAYS.counted(0, true)}`
    )
  )
  t.equal(plain(strict.stdout).split('\n').at(-2), '2 passed, 6 failed')
  t.ok(plain(junit.stdout).includes(`own.yaml:3:5 ${SAYS.never_applied()}</failure>`))
  const warned = await ran(['check', file, '--format', 'junit'])
  t.ok(
    plain(warned.stdout).includes(
      `<system-out>own.yaml:3:5 ${SAYS.never_applied()}</system-out></testcase>`
    )
  )
})
