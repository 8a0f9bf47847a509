/**
 * Builds and publishing: every action is pinned to a commit, no script of a dependency runs, the
 * image's user is a number.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import type { Json } from '../support/json.js'

const { satisfies } = createRequire(import.meta.url)('semver')
const ROOT = new URL('../../', import.meta.url)
const BUILT = fileURLToPath(new URL('dist/main.js', ROOT))
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')
const FILES = readdirSync(new URL('.github/workflows/', ROOT)).sort()
const workflow = (file: string): Json => parse(read(`.github/workflows/${file}`))
const PINNED = /^\s*(?:- )?uses: [\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/

t.test('workflows: each action is pinned to a commit', async t => {
  t.strictSame(FILES, ['ci.yml', 'docs.yml', 'publish.yml'])
  const digests = new Map<string, string>()
  for (const file of [...FILES.map(name => `.github/workflows/${name}`), 'action.yml']) {
    const lines = read(file).split('\n')
    const uses = lines.filter(line => /\buses:/.test(line) && !/uses: \.\//.test(line))
    t.ok(uses.length > 0, file)
    for (const line of uses) {
      t.match(line, PINNED, file)
      const [, action = '', digest = ''] = /uses: (.+)@(.+)$/.exec(line) ?? []
      t.equal(digests.get(action) ?? digest, digest, `${file}: ${action}`)
      digests.set(action, digest)
    }
  }
  const near = [
    '- uses: actions/checkout@v4',
    `- uses: actions/checkout@${'a'.repeat(39)} # v4.3.1`,
    `- uses: actions/checkout@${'a'.repeat(40)}`
  ]
  for (const line of near) t.notMatch(line, PINNED, line)
})

t.test('workflows: no dependency’s script runs, what may write is in an environment', async t => {
  for (const file of FILES) {
    const { permissions, jobs } = workflow(file)
    t.strictSame(permissions, { contents: 'read' }, file)
    for (const [name, job] of Object.entries<Json>(jobs)) {
      for (const { run = '' } of job.steps ?? [])
        t.notMatch(run, /npm (?:ci|install)(?! --ignore-scripts)/, `${file} ${name}`)
      const mayWrite = Object.values(job.permissions ?? {}).includes('write')
      t.equal(job.environment !== undefined, mayWrite, `${file} ${name}`)
    }
  }
  const { image, package: published } = workflow('publish.yml').jobs
  t.strictSame([image.environment, published.environment], ['release', 'release'])
})

t.test('action.yml: it runs a command with an emulator or judges one', async t => {
  const { inputs, runs } = parse(read('action.yml'))
  const [{ env, run }] = runs.steps
  const bin = t.testdir({
    npx: `#!/bin/bash\n[ "$1 $2" = '--yes commerce-emulator' ] && shift 2 && exec node '${BUILT}' "$@"\n`
  })
  chmodSync(`${bin}/npx`, 0o755)
  const report = `${bin}/report`
  const acted = (given: Record<string, string>) => {
    const filled = (use: string) =>
      use.replace(/\$\{\{ inputs\.(\w+) \}\}/, (_, name) => given[name] ?? inputs[name].default)
    const variables = Object.fromEntries(
      Object.entries<string>(env).map(([name, use]) => [name, filled(use)])
    )
    const environment = {
      ...process.env,
      ...variables,
      REPORT: report,
      GITHUB_ACTIONS: '',
      PATH: `${bin}:${process.env.PATH}`
    }
    return spawnSync('bash', ['-eo', 'pipefail', '-c', run], {
      encoding: 'utf8',
      env: environment
    })
  }
  const send =
    'curl --silent --fail --user "$COMMERCE_API_KEY:" "$COMMERCE_BASE_URL/locations" >/dev/null'

  t.equal(acted({ run: send }).status, 0)
  t.ok(existsSync(`${report}/report.html`))
  for (const [given, expected, says] of [
    [{ run: `${send} && exit 7` }, 7, ''],
    [{ run: 'true' }, 3, 'no requests'],
    [{ run: 'true', arguments: '--allow-no-requests' }, 0, ''],
    [{ run: send, arguments: '--min-coverage 99' }, 3, 'coverage'],
    [{ run: send, scenario: 'no such scenario' }, 1, 'no such scenario'],
    [{ run: send, arguments: '--fail-on "$(touch ran)"' }, 2, '$(touch ran)'],
    [{ url: 'http://localhost:9' }, 1, 'http://localhost:9']
  ] as const) {
    const { status, stderr } = acted(given)
    t.equal(status, expected, `${JSON.stringify(given)}: ${stderr}`)
    t.ok(stderr.includes(says), says)
  }
  t.notOk(existsSync('ran'))
})

t.test('package-lock.json: all runs on the oldest Node.js, and has no address', t => {
  const { engines } = JSON.parse(read('package.json'))
  const oldest = `${engines.node.replace('>=', '')}.0`
  const packages = Object.entries<Json>(JSON.parse(read('package-lock.json')).packages)
  const refused = (all: [string, Json][]) =>
    all.flatMap(([name, { engines, optional }]) =>
      optional || satisfies(oldest, engines?.node ?? '*') ? [] : name
    )

  t.strictSame(refused(packages), [])
  t.strictSame(
    packages.filter(([, { resolved }]) => resolved !== undefined).map(([name]) => name),
    []
  )
  t.strictSame(
    refused([
      ['new', { engines: { node: '>=22.13.0' } }],
      ['other', { engines: { node: '>=22' }, optional: true }]
    ]),
    ['new'],
    'near misses'
  )
  t.end()
})

t.test('dependabot.yml: packages, actions, image weekly, each in one pull request', async t => {
  const { version, updates } = parse(read('.github/dependabot.yml'))

  t.equal(version, 2)
  t.strictSame(
    updates.map((update: Json) => update['package-ecosystem']),
    ['npm', 'github-actions', 'docker']
  )
  for (const { directory, schedule, groups } of updates) {
    t.strictSame([directory, schedule], ['/', { interval: 'weekly' }])
    t.strictSame(Object.values(groups), [{ patterns: ['*'] }])
  }
})

t.test('Dockerfile: its user is a number, not root, and that of the cluster', async t => {
  const file = read('Dockerfile')
  const users = [...file.matchAll(/^USER (.+)$/gm)].map(([, user]) => user)
  const [set] = parseAllDocuments(read('deploy/kubernetes.yaml'))
    .map(document => document.toJS())
    .filter(({ kind }) => kind === 'StatefulSet')
  const { runAsUser, runAsGroup } = set.spec.template.spec.securityContext

  t.strictSame(users, [`${runAsUser}:${runAsGroup}`])
  t.not(runAsUser, 0)
  t.match(file, new RegExp(`'node:x:${runAsUser}:${runAsGroup}::`), 'and has a name')
  t.match(file, /^FROM node:\S+@sha256:[\da-f]{64} AS build$/m)
  t.match(file, /^ENTRYPOINT \["node", "\/app\/dist\/main.js"\]$/m, 'flags follow the image')
  t.notMatch(file, /^CMD /m)
  t.match(file, /^SHELL .*"pipefail"/m)
  t.match(file, `image.version="${JSON.parse(read('package.json')).version}"`)
})
