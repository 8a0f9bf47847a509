/** What `npm run build` has made: the package as its users have it. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url))
const USER = fileURLToPath(new URL('built-package.mjs', import.meta.url))

t.test('built: each part that is loaded later is there, and the code that V8 has made of the rest is used', async t => {
  const scenario = {
    fixtures: ['bistro'],
    generate: [{ tickets: 1 }],
    script: [{ on: 'GET /tickets/{id}', match: { params: { id: '/^tkt_a/' } }, respond: { status: 418 } }],
    steps: [{ do: 'GET /tickets', expect: { status: 200 } }]
  }
  const packages = readdirSync(`${DIST}packages`)
  const folder = t.testdir({ 'own.yaml': `# read as YAML\n${JSON.stringify(scenario)}` })

  const { stdout, stderr } = spawnSync(process.execPath, [USER, DIST, folder], { encoding: 'utf8' })

  t.equal(stderr, '')
  t.strictSame(JSON.parse(stdout), {
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
    refused: [true, 'seed: a whole number was expected, not x.'],
    packages
  })
})

t.test('built: every package that it holds is named with its licence', async t => {
  const licences = readFileSync(`${DIST}LICENCES.txt`, 'utf8')
  const later = readdirSync(`${DIST}packages`).map(file => file.replace(/\.js$/, ''))

  for (const name of ['fastify', 'pino', 'commander', 'typebox', ...later]) t.ok(new RegExp(`^(\\S+/)?${name} \\d+\\.\\S+: \\S+$`, 'm').test(licences), name)
})
