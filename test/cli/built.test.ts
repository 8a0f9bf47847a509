/** The package as `npm run build` makes it and users get it. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { NOW, startTestEmulator } from '../support/emulator.js'

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url))
const USER = fileURLToPath(new URL('built-package.mjs', import.meta.url))

t.test('built: each part that is loaded later exists', async t => {
  const scenario = {
    clock: NOW,
    fixtures: ['bistro'],
    generate: [
      { accounts: 2 },
      { users: 2 },
      { locations: 2 },
      { tickets: 2 },
      { transactions: 9, refunded: 1 }
    ],
    script: [
      { on: 'GET /tickets/{id}', match: { params: { id: '/^tkt_a/' } }, respond: { status: 418 } }
    ],
    steps: [{ do: 'GET /tickets', expect: { status: 200 } }]
  }
  const packages = readdirSync(`${DIST}packages`)
  const folder = t.testdir({ 'own.yaml': `# read as YAML\n${JSON.stringify(scenario)}` })

  const { stdout, stderr } = spawnSync(process.execPath, [USER, DIST, folder], {
    encoding: 'utf8'
  })

  t.equal(stderr, '')
  const { state, ...seen } = JSON.parse(stdout)
  t.equal(state, await (await startTestEmulator(t, { scenario })).state())
  t.strictSame(seen, {
    isCodeKept: true,
    shown: {
      metrics: [200, 'text/plain; version=0.0.4; charset=utf-8', true],
      yaml: [200, 'application/yaml; charset=utf-8', true],
      console: [200, 'text/html; charset=utf-8', true],
      docs: [200, 'text/css; charset=utf-8', true],
      openapi: [200, 'application/json; charset=utf-8', true],
      snapshot: [201, 'application/json; charset=utf-8', true]
    },
    scripted: [418, 418],
    refused: [true, 'seed: must be a whole number; got x.'],
    overTls: 'no_answer',
    loaded: { lowdb: true },
    packages
  })
})

t.test('built: faked timers and a browser’s globals do not reach it', async t => {
  const file = fileURLToPath(new URL('faked-globals.mjs', import.meta.url))
  for (const by of ['node:test', 'hand']) {
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--no-warnings', file, `${DIST}index.js`, by],
      {
        encoding: 'utf8',
        timeout: 120_000
      }
    )
    const isFaked = by === 'hand'
    t.strictSame([stdout, stderr], [`200,expectation_unmet,200,é,true,${isFaked}\n`, ''], by)
  }
})

t.test('built: every bundled package is listed with its licence', async t => {
  const licences = readFileSync(`${DIST}LICENCES.txt`, 'utf8')
  const packages: Record<string, string> = { mcp: '@modelcontextprotocol/server' }
  const later = readdirSync(`${DIST}packages`)
    .map(file => file.replace(/\.js$/, ''))
    .map(file => packages[file] ?? file)

  for (const name of ['fastify', 'pino', 'commander', 'typebox', ...later])
    t.ok(new RegExp(`^(\\S+/)?${name} \\d+\\.\\S+: \\S+$`, 'm').test(licences), name)
  const { specVersion, metadata, components, dependencies } = JSON.parse(
    readFileSync(`${DIST}sbom.cdx.json`, 'utf8')
  )
  const named = [...licences.matchAll(/^(?:(@\S+)\/)?([^\s/]+) (\d+\.\S+): (\S+)$/gm)]
  const purls = named.map(([, group, name, version]) =>
    [group && `%40${group.slice(1)}`, `${name}@${version}`].filter(Boolean).join('/')
  )
  t.strictSame(
    components.map(({ purl }: { purl: string }) => purl).sort(),
    [...new Set(purls)].map(purl => `pkg:npm/${purl}`).sort()
  )
  t.equal(specVersion, '1.6')
  t.match(components, { length: dependencies[0].dependsOn.length, 0: { licenses: [{}] } })
  t.equal(dependencies[0].ref, metadata.component['bom-ref'])
})

t.test('built: every module that a script requires is part of Node.js or exists', async t => {
  for (const file of [
    'emulator/emulator.js',
    ...readdirSync(`${DIST}packages`).map(name => `packages/${name}`)
  ]) {
    // ajv contains such calls as text in the code that it generates
    const required = [
      ...readFileSync(DIST + file, 'utf8').matchAll(/(?<!['`])\brequire\("([^"]+)"\)/g)
    ].map(([, name = '']) => name)
    t.strictSame(
      required.filter(name => !isBuiltin(name) && !existsSync(join(DIST, dirname(file), name))),
      [],
      file
    )
  }
})
