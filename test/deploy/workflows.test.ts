/** What builds and publishes: every action is a commit, no script of a dependency runs, the image's user is a number. */
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import type { Json } from '../support/json.js'

const ROOT = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')
const FILES = readdirSync(new URL('.github/workflows/', ROOT)).sort()
const workflow = (file: string): Json => parse(read(`.github/workflows/${file}`))
/** An action by the digest of a commit, with the version that people know it by. */
const PINNED = /^\s*(?:- )?uses: [\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/

t.test('workflows: each action is named by the digest of a commit, and has one everywhere', async t => {
  t.strictSame(FILES, ['ci.yml', 'docs.yml', 'publish.yml'])
  const digests = new Map<string, string>()
  for (const file of FILES) {
    const lines = read(`.github/workflows/${file}`).split('\n')
    const uses = lines.filter(line => /\buses:/.test(line) && !/uses: \.\//.test(line))
    t.ok(uses.length > 0, file)
    for (const line of uses) {
      t.match(line, PINNED, file)
      const [, action = '', digest = ''] = /uses: (.+)@(.+)$/.exec(line) ?? []
      t.equal(digests.get(action) ?? digest, digest, `${file}: ${action}`)
      digests.set(action, digest)
    }
  }
  const near = ['- uses: actions/checkout@v4', `- uses: actions/checkout@${'a'.repeat(39)} # v4.3.1`, `- uses: actions/checkout@${'a'.repeat(40)}`]
  for (const line of near) t.notMatch(line, PINNED, line)
})

t.test('workflows: no script of a dependency runs, and what may write does so in an environment', async t => {
  for (const file of FILES) {
    const { permissions, jobs } = workflow(file)
    t.strictSame(permissions, { contents: 'read' }, file)
    for (const [name, job] of Object.entries<Json>(jobs)) {
      for (const { run = '' } of job.steps ?? []) t.notMatch(run, /npm (?:ci|install)(?! --ignore-scripts)/, `${file} ${name}`)
      const mayWrite = Object.values(job.permissions ?? {}).includes('write')
      t.equal(job.environment !== undefined, mayWrite, `${file} ${name}`)
    }
  }
  const { image, package: published } = workflow('publish.yml').jobs
  t.strictSame([image.environment, published.environment], ['release', 'release'])
})

t.test('dependabot.yml: packages, actions and the base of the image are renewed weekly, each in one pull request', async t => {
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
})
