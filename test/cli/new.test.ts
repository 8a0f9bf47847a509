/** The scenario that `new` writes. Each name is a path in a folder of the test. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parse } from 'yaml'
import { newScenario } from '../../src/cli/new.js'
import { reasonOf, SAYS } from '../../src/cli/sentences.js'
import { visible } from '../../src/core/visible.js'
import { ran } from '../support/command.js'

const SCHEMA = 'docs/schema/scenario.json'
const OWN_SCHEMA = fileURLToPath(new URL(`../../${SCHEMA}`, import.meta.url))

t.test('new: the file is right without a change, and passes check', async t => {
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
  t.strictSame(valid, { status: 0, stdout: `${file}: valid\n`, stderr: '' })
  t.strictSame([checked.status, /✗|skipped/.test(checked.stdout), checked.stdout.includes('6 passed')], [0, false, true], checked.stdout)
})

t.test('new: line 1 names the schema of the package that is installed above the file, or else of this one', async t => {
  const folder = t.testdir({
    above: { node_modules: { 'commerce-emulator': { docs: { schema: { 'scenario.json': '{}' } } } }, deep: { deeper: {} } },
    apart: {}
  })
  const cases: [name: string, schema: string][] = [
    ['above/one', `node_modules/commerce-emulator/${SCHEMA}`],
    ['above/deep/deeper/one', `../../node_modules/commerce-emulator/${SCHEMA}`],
    ['apart/one', relative(join(folder, 'apart'), OWN_SCHEMA)]
  ]
  for (const [name, schema] of cases) {
    const file = join(folder, `${name}.yaml`)
    await newScenario(join(folder, name), { force: false })
    t.equal(readFileSync(file, 'utf8').split('\n')[0], `# yaml-language-server: $schema=${schema}`, name)
    t.ok(existsSync(resolve(dirname(file), schema)), name)
  }
})

t.test('new: the name of the scenario is that of the file, whatever YAML would make of it', async t => {
  const folder = t.testdir({})
  const cases: [name: string, file: string, title: string][] = [
    ['plain', 'plain.yaml', 'plain'],
    ['with.yaml', 'with.yaml', 'with'],
    ['with.YML', 'with.YML', 'with'],
    ['v1.2', 'v1.2.yaml', 'v1.2'],
    ['42', '42.yaml', '42'],
    ['true', 'true.yaml', 'true'],
    ['No', 'No.yaml', 'No'],
    ['-dash', '-dash.yaml', '-dash'],
    ['a: b #c', 'a: b #c.yaml', 'a: b #c'],
    ["it's", "it's.yaml", "it's"],
    ['Größe', 'Größe.yaml', 'Größe']
  ]
  for (const [name, file, title] of cases) {
    const [, line] = await newScenario(join(folder, name), { force: false })
    t.equal(parse(readFileSync(join(folder, file), 'utf8')).name, title)
    const quoted = /^[\w.-]+$/.test(file) ? join(folder, file) : `'${join(folder, file).replace("'", "'\\''")}'`
    t.ok(line?.includes(` validate ${quoted} `), title)
  }
})

t.test('new: nothing that is there is written over without --force, and what cannot be written is refused in one line', async t => {
  const folder = t.testdir({ 'there.yaml': 'mine: true\n', file: 'x' })
  mkdirSync(join(folder, 'folder.yaml'))
  symlinkSync('loop.yaml', join(folder, 'loop.yaml'))
  const at = (name: string) => join(folder, name)
  const cases: [args: [string, ...string[]], code: string | null][] = [
    [[at('there')], 'EEXIST'],
    [[at('there.yaml')], 'EEXIST'],
    [[at('folder')], 'EEXIST'],
    [[at('folder'), '--force'], 'EISDIR'],
    [[at('none/one')], 'ENOENT'],
    [[at('file/one')], 'ENOTDIR'],
    [[at('x'.repeat(300))], 'ENAMETOOLONG'],
    [[at('loop'), '--force'], 'ELOOP'],
    [[''], null],
    [[' '], null],
    [['.yaml'], null],
    [[at('folder/')], null],
    [[at('a\nb')], null]
  ]
  for (const [args, code] of cases) {
    const { status, stdout, stderr } = await ran(['new', ...args])
    t.strictSame([status, stdout], [1, ''], args.join(' '))
    const file = args[0].replace(/(\.yaml)?$/, '.yaml')
    const message = code === null ? SAYS.file_name(visible(args[0])) : SAYS.not_written(file, reasonOf('write', { code, message: code }))
    t.ok(stderr.startsWith(`commerce-emulator: ${message}`), stderr)
    t.equal(stderr.split('\n').length, 2, 'one line')
  }
  t.equal(readFileSync(at('there.yaml'), 'utf8'), 'mine: true\n')

  writeFileSync(at('there.yaml'), 'longer than before\n'.repeat(1000))
  t.equal((await ran(['new', at('there'), '--force'])).status, 0)
  t.equal((await ran(['validate', at('there.yaml')])).status, 0, 'nothing is left of the file that was there')
})
