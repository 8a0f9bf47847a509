/** The scenario that `new` writes. Each name is a path in a folder of the test. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parse } from 'yaml'
import { newScenario } from '../../src/cli/commands/new.js'
import { reasonOf, SAYS } from '../../src/cli/sentences.js'
import { visible } from '../../src/core/sentences.js'
import { ran } from '../support/command.js'

const SCHEMA = 'docs/schema/scenario.json'
const OWN_SCHEMA = fileURLToPath(new URL(`../../${SCHEMA}`, import.meta.url))

t.test('new: the file is valid unchanged, and passes check', async t => {
  const folder = relative('.', t.testdir({}))

  const written = await ran(['new', `${folder}/declined-card`])
  const file = `${folder}/declined-card.yaml`
  const valid = await ran(['validate', file])
  const checked = await ran(['check', file])

  t.strictSame([written.status, written.stderr], [0, ''])
  t.strictSame(written.stdout.trimEnd().split('\n'), [
    SAYS.written(file),
    `  commerce-emulator validate ./${file}     checks it`,
    `  commerce-emulator check ./${file}        plays its requests, and checks what it expects`,
    `  commerce-emulator --scenario ./${file}   starts the emulator with it`
  ])
  t.strictSame(valid, {
    status: 0,
    stdout: `${file}\n  ✓ ${SAYS.valid()}\n\n1 passed, 0 failed\n`,
    stderr: ''
  })
  t.strictSame(
    [checked.status, /[✗!]|skipped/.test(checked.stdout), checked.stdout.includes('7 passed')],
    [0, false, true],
    checked.stdout
  )
})

t.test('new: line 1 names the schema of the package', async t => {
  const folder = t.testdir({})
  await newScenario(join(folder, 'one'), { force: false })
  t.equal(
    readFileSync(join(folder, 'one.yaml'), 'utf8').split('\n')[0],
    `# yaml-language-server: $schema=${relative(folder, OWN_SCHEMA)}`
  )
})

t.test('new: the name of the scenario is that of the file', async t => {
  const folder = t.testdir({})
  const names = [
    'plain',
    'with.yaml',
    'with.YML',
    'v1.2',
    '42',
    'true',
    'No',
    '-dash',
    'a: b #c',
    "it's",
    'Größe'
  ]
  for (const name of names) {
    const [, line] = await newScenario(join(folder, name), { force: false })
    const title = name.replace(/\.ya?ml$/i, '')
    const file = join(folder, title === name ? `${name}.yaml` : name)
    t.equal(parse(readFileSync(file, 'utf8')).name, title)
    const quoted = /^[\w.-]+$/.test(file.slice(folder.length + 1))
      ? file
      : `'${file.replace("'", "'\\''")}'`
    t.ok(line?.includes(` validate ${quoted} `), title)
  }
})

t.test('new: no existing file is overwritten without --force', async t => {
  const folder = t.testdir({ 'there.yaml': 'mine: true\n', file: 'x' })
  mkdirSync(join(folder, 'folder.yaml'))
  symlinkSync('loop.yaml', join(folder, 'loop.yaml'))
  const at = (name: string) => join(folder, name)
  const cases: [name: string, code: string | null, force?: '--force'][] = [
    [at('there'), 'EEXIST'],
    [at('there.yaml'), 'EEXIST'],
    [at('folder'), 'EEXIST'],
    [at('folder'), 'EISDIR', '--force'],
    [at('none/one'), 'ENOENT'],
    [at('file/one'), 'ENOTDIR'],
    [at('x'.repeat(300)), 'ENAMETOOLONG'],
    [at('loop'), 'ELOOP', '--force'],
    ...['', ' ', '.yaml', at('folder/'), at('a\nb')].map((name): [string, null] => [name, null])
  ]
  for (const [name, code, force] of cases) {
    const { status, stdout, stderr } = await ran(['new', name, ...(force ? [force] : [])])
    t.strictSame([status, stdout], [1, ''], name)
    const file = name.replace(/(\.yaml)?$/, '.yaml')
    const message =
      code === null
        ? SAYS.file_name(visible(name))
        : SAYS.not_written(file, reasonOf('write', { code, message: code }))
    t.ok(stderr.startsWith(`commerce-emulator: ${message}`), stderr)
    t.equal(stderr.split('\n').length, 2, 'one line')
  }
  t.equal(readFileSync(at('there.yaml'), 'utf8'), 'mine: true\n')

  writeFileSync(at('there.yaml'), 'longer than before\n'.repeat(1000))
  t.equal((await ran(['new', at('there'), '--force'])).status, 0)
  t.equal((await ran(['validate', at('there.yaml')])).status, 0)
})
