/**
 * The recipes match the code: what they name exists, the collections match the OpenAPI document,
 * and the recipe without dependencies runs.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parse } from 'yaml'
import { SETTINGS } from '../../src/core/settings.js'
import { OWN_ENVIRONMENT } from '../conformance/built-command.js'
import { ran } from '../support/command.js'
import { startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'
import { CHECKED, commandsOf, EXAMPLES, foldersOfExamples, missingFor, RUN } from './recipes.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const filesIn = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }).flatMap(one =>
    one.isFile() ? [join(one.parentPath, one.name).slice(ROOT.length)] : []
  )
const { version, repository } = JSON.parse(read('package.json'))
const [, REPOSITORY] = /^git\+https:\/\/github\.com\/(.+)\.git$/.exec(repository.url) ?? []
const IMAGE = `ghcr.io/${REPOSITORY}`
const { collectionsOf }: { collectionsOf: (document: Json) => Record<string, string> } =
  await import(`${EXAMPLES}collections/collections.mjs`)
const PUBLISHED = [...filesIn('examples'), 'docs/recipes.md']

t.test(
  'recipes: each has a README that begins with its commands, a line in docs/recipes.md and a test',
  async t => {
    const page = read('docs/recipes.md')
    const listed = new Set(
      [...page.matchAll(/\]\(\.\.\/examples\/([\w-]+)\)/g)].map(([, name]) => name)
    )

    t.strictSame(foldersOfExamples().sort(), [...RUN.map(({ name }) => name), ...CHECKED].sort())
    t.strictSame([...listed].sort(), foldersOfExamples().sort())
    for (const name of foldersOfExamples())
      t.match(read(`examples/${name}/README.md`), /^# \S/, name)
    for (const recipe of RUN) t.ok(commandsOf(recipe).length > 0, recipe.name)
  }
)

t.test(
  'recipes: the image and the package are those that a tag publishes, in the present version',
  async t => {
    for (const file of PUBLISHED) {
      const text = read(file)
      for (const [image, name, tag] of text.matchAll(/(ghcr\.io\/[\w/-]+)(?::([\w.-]+))?/g))
        t.strictSame([name, tag ?? version], [IMAGE, version], `${file}: ${image}`)
      for (const [, given] of text.matchAll(/commerce-emulator@(\S+)/g))
        t.equal(given, version, file)
      for (const [, range] of text.matchAll(/"commerce-emulator": "\^([^"]+)"/g))
        t.equal(range, version, file)
    }
  }
)

t.test(
  'recipes: every line with a command of the emulator has options that the command takes',
  async t => {
    const lines = PUBLISHED.flatMap(file => read(file).split('\n')).filter(line =>
      /npx .*commerce-emulator\S* (exec|judge)\b/.test(line)
    )
    t.ok(lines.length > 8)

    for (const line of lines) {
      const [, command = '', options = ''] =
        /commerce-emulator\S* (exec|judge)\b(.*?)(?: -- .*|`|$)/.exec(line) ?? []
      const { stdout } = await ran([command, '--help'])
      for (const [option] of options.matchAll(/--[a-z][\w-]+/g))
        t.ok(stdout.includes(option), `${command} ${option}`)
    }
  }
)

t.test(
  'recipes: pipelines use the port that the emulator listens on, by their name for it',
  async t => {
    const port = String(SETTINGS.port.default)
    const services = parse(read('examples/github-actions/services.yml')).jobs.test
    const gitlab = parse(read('examples/gitlab-ci/.gitlab-ci.yml')).test
    const compose = parse(read('examples/compose/compose.yaml')).services

    t.strictSame(services.services.commerce.ports, [`127.0.0.1:${port}:${port}`])
    t.equal(services.env.COMMERCE_URL, `http://localhost:${port}`)
    t.equal(gitlab.variables.COMMERCE_URL, `http://${gitlab.services[0].alias}:${port}`)
    t.strictSame(compose.commerce.ports, [`127.0.0.1:${port}:${port}`])
    t.equal(compose.tests.environment.COMMERCE_URL, `http://commerce:${port}`)
    t.strictSame(compose.tests.depends_on, { commerce: { condition: 'service_healthy' } })
    t.match(
      read('Dockerfile'),
      /^HEALTHCHECK /m,
      'the image brings the health check that compose and GitHub wait for'
    )
  }
)

t.test('publish.yml: a tag publishes the image for both architectures and the package', async t => {
  const { on, jobs } = parse(read('.github/workflows/publish.yml'))
  const stepsOf = (job: string) =>
    jobs[job].steps as { uses?: string; run?: string; with?: Record<string, unknown> }[]
  const build = stepsOf('image').find(({ uses }) => uses?.startsWith('docker/build-push-action@'))
  const publish = stepsOf('package').find(({ run }) => run?.startsWith('npm publish'))

  t.strictSame(on, { push: { tags: ['v*.*.*'] } })
  t.match(build?.with, {
    platforms: 'linux/amd64,linux/arm64',
    push: true,
    provenance: 'mode=max'
  })
  t.match(publish?.run, /--provenance --access public/)
  t.strictSame(
    ['image', 'package'].map(job => jobs[job].needs),
    [
      ['test', 'version'],
      ['test', 'version']
    ]
  )
  t.match(jobs.package.permissions, { 'id-token': 'write' })
  t.match(jobs.image.permissions, {
    'id-token': 'write',
    packages: 'write',
    attestations: 'write'
  })
  t.ok('workflow_call' in parse(read('.github/workflows/ci.yml')).on)
})

t.test('collections: they are those of the OpenAPI document', async t => {
  const { app } = await startTestEmulator(t)
  const { body } = await app.inject({
    url: '/_control/openapi.json',
    headers: { host: 'localhost' }
  })

  const made: Record<string, string> = collectionsOf(JSON.parse(body))

  const files = filesIn('examples/collections').filter(file => !/(\.md|\.mjs)$/.test(file))
  t.strictSame(
    files.map(file => file.slice('examples/collections/'.length)).sort(),
    Object.keys(made).sort()
  )
  for (const [path, text] of Object.entries(made))
    t.equal(read(`examples/collections/${path}`), text, `${path}; npm run collections writes it`)
  const { item } = JSON.parse(made['commerce.postman_collection.json'] as string)
  t.equal(item.flatMap(({ item }: { item: unknown[] }) => item).length, 22 + 4)
})

t.test('a recipe that this machine cannot run says what is missing', async t => {
  t.equal(missingFor({ needs: [] }, {}), null)
  t.equal(missingFor({ needs: ['chromium'] }, {}), 'CHROMIUM_PATH names no browser')
  t.equal(missingFor({ needs: ['chromium'] }, { CHROMIUM_PATH: process.execPath }), null)
})

t.test('node:test: the recipe passes with the package as it is built', async t => {
  const folder = t.testdir()
  cpSync(join(EXAMPLES, 'node-test'), folder, { recursive: true })
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(ROOT, join(folder, 'node_modules/commerce-emulator'))

  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--test', '--test-reporter=tap'],
    { cwd: folder, env: OWN_ENVIRONMENT, encoding: 'utf8' }
  )

  t.equal(status, 0, `${stdout}${stderr}`)
  t.match(stdout, /^# pass 3$/m)
})
