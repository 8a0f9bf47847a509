/**
 * `npm run test:clients`: generates clients from the OpenAPI document, and drives each and the plain clients through the session of the README.
 * What they need is installed into a temporary folder, `CLIENTS_FOLDER` where it is to be kept; a client that cannot be installed is skipped, and says so.
 * Arguments name the clients to try; left out: all.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const FOLDER = process.env.CLIENTS_FOLDER ?? (await mkdtemp(join(tmpdir(), 'clients-')))
const KEY = 'sk_test_merchant'
const LONGEST = 600_000

/** What makes a client be skipped. */
class NotInstallable extends Error {}

/** Runs a program; its output. Errors: the end of what it wrote, where it fails. */
async function run(program, args, { cwd, env = {}, input = '' }) {
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'], timeout: LONGEST })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', text => (output += text))
  child.stdin.on('error', () => {}).end(input)
  const [code] = await Promise.race([once(child, 'close'), once(child, 'error').then(([error]) => [error.code])])
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}\n${output.trimEnd().split('\n').slice(-25).join('\n')}`)
  return output
}

/** A step that is not the client's own: where it fails, the client is skipped. */
async function install(program, args, options) {
  try {
    return await run(program, args, options)
  } catch (error) {
    throw new NotInstallable(error.message.split('\n').filter(Boolean).at(0))
  }
}

async function npm(cwd, ...packages) {
  await writeFile(join(cwd, 'package.json'), '{"private":true,"type":"module"}')
  await install('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', ...packages], { cwd })
}
/** A Python of its own with packages. */
async function pip(cwd, ...packages) {
  await install('python3', ['-m', 'venv', '.venv'], { cwd })
  await install('.venv/bin/pip', ['install', '--quiet', '--disable-pip-version-check', ...packages], { cwd })
}
const bin = (cwd, name) => join(cwd, 'node_modules/.bin', name)
const copied = (cwd, ...files) => Promise.all(files.map(file => cp(join(HERE, file), join(cwd, file))))

const TSCONFIG = {
  target: 'ES2022',
  module: 'ESNext',
  moduleResolution: 'Bundler',
  strict: true,
  skipLibCheck: true,
  lib: ['ES2022', 'DOM', 'DOM.Iterable'],
  types: ['node'],
  noEmit: true
}
/** Checks the types of a session, bundles and runs it. */
async function typescript(cwd, file, env) {
  await writeFile(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions: TSCONFIG, files: [file] }))
  await run(bin(cwd, 'tsc'), [], { cwd })
  await run(join(ROOT, 'node_modules/.bin/esbuild'), [file, '--bundle', '--platform=node', '--format=esm', '--outfile=session.mjs', '--log-level=warning'], {
    cwd
  })
  return run(process.execPath, ['session.mjs'], { cwd, env })
}
const TYPESCRIPT = ['typescript@5', '@types/node@20']

/** The generator of https://openapi-generator.tech, from Maven Central. */
const GENERATOR = '7.17.0'
async function generator(cwd, language, properties) {
  const jar = join(FOLDER, `openapi-generator-cli-${GENERATOR}.jar`)
  const name = 'org.openapitools:openapi-generator-cli'
  await readFile(jar).catch(() =>
    install('mvn', ['-q', 'dependency:copy', `-Dartifact=${name}:${GENERATOR}`, `-DoutputDirectory=${FOLDER}`, '-Dmdep.useBaseVersion=true'], { cwd })
  )
  await run('java', ['-jar', jar, 'generate', '-i', 'openapi.json', '-g', language, '-o', 'client', `--additional-properties=${properties}`], { cwd })
}

/** Tools that judge the document, and clients, by name: the style of the document that each is given, and how it is tried in a folder that holds the document. */
const CLIENTS = {
  redocly: {
    style: 'nested',
    async tried(cwd) {
      await npm(cwd, '@redocly/cli')
      await writeFile(join(cwd, 'redocly.yaml'), 'extends: [recommended-strict]\nrules: { no-server-example.com: off }\n')
      const env = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
      for (const file of ['openapi.json', 'flat.json']) await run(bin(cwd, 'redocly'), ['lint', file], { cwd, env })
    }
  },
  spectral: {
    style: 'nested',
    async tried(cwd) {
      await npm(cwd, '@stoplight/spectral-cli')
      await writeFile(join(cwd, '.spectral.yaml'), 'extends: ["spectral:oas"]\n')
      await run(bin(cwd, 'spectral'), ['lint', 'openapi.json', 'flat.json', '--fail-severity=hint'], { cwd })
    }
  },
  'openapi-typescript': {
    style: 'nested',
    async tried(cwd, env) {
      await npm(cwd, 'openapi-typescript', 'openapi-fetch', ...TYPESCRIPT)
      await copied(cwd, 'session.ts', 'openapi-fetch.ts')
      await run(bin(cwd, 'openapi-typescript'), ['openapi.json', '-o', 'schema.d.ts'], { cwd })
      return typescript(cwd, 'openapi-fetch.ts', env)
    }
  },
  'hey-api': {
    style: 'flat',
    async tried(cwd, env) {
      await npm(cwd, '@hey-api/openapi-ts', ...TYPESCRIPT)
      await copied(cwd, 'session.ts', 'hey-api.ts')
      await run(bin(cwd, 'openapi-ts'), ['-i', 'openapi.json', '-o', 'client', '-c', '@hey-api/client-fetch'], { cwd })
      return typescript(cwd, 'hey-api.ts', env)
    }
  },
  orval: {
    style: 'flat',
    async tried(cwd, env) {
      await npm(cwd, 'orval', ...TYPESCRIPT)
      await copied(cwd, 'session.ts', 'orval.ts', 'orval-form.ts')
      const override = { formUrlEncoded: { path: './orval-form.ts', name: 'form' } }
      const output = { target: 'client.ts', client: 'fetch', baseUrl: env.COMMERCE_BASE_URL, override }
      await writeFile(join(cwd, 'orval.config.mjs'), `export default ${JSON.stringify({ commerce: { input: 'openapi.json', output } })}`)
      await run(bin(cwd, 'orval'), [], { cwd })
      return typescript(cwd, 'orval.ts', env)
    }
  }
}

/** Starts the built command; its base address and the process. */
async function startEmulator() {
  const child = spawn(process.execPath, [join(ROOT, 'dist/main.js'), '--port', '0', '--log-level', 'error'], { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: child.stdout })) {
    const [, baseUrl] = /^commerce-emulator ready on (\S+)$/.exec(line) ?? []
    if (baseUrl) return { baseUrl, child }
  }
  throw new Error('The emulator did not start; npm run build makes it.')
}

async function tried(name, { style, tried }, baseUrl) {
  const control = baseUrl.replace(/\/next$/, '/_control')
  await fetch(`${control}/reset`, { method: 'POST' })
  const cwd = join(FOLDER, name)
  await mkdir(cwd, { recursive: true })
  const [nested, flat] = await Promise.all(['', '?style=flat'].map(async query => (await fetch(`${control}/openapi.json${query}`)).text()))
  await writeFile(join(cwd, 'flat.json'), flat)
  await writeFile(join(cwd, 'openapi.json'), style === 'flat' ? flat : nested)
  return tried(cwd, { COMMERCE_BASE_URL: baseUrl, COMMERCE_API_KEY: KEY, COMMERCE_CONTROL_URL: control })
}

const asked = process.argv.slice(2)
const unknown = asked.filter(name => !(name in CLIENTS))
if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: one of ${Object.keys(CLIENTS).join(', ')} was expected.`)
const { baseUrl, child } = await startEmulator()
const counts = { passed: 0, failed: 0, skipped: 0 }
for (const name of asked.length > 0 ? asked : Object.keys(CLIENTS)) {
  const start = Date.now()
  const said = text => console.log(`${name}: ${text} (${Math.round((Date.now() - start) / 1000)} s)`)
  try {
    await tried(name, CLIENTS[name], baseUrl)
    counts.passed++
    said('passed')
  } catch (error) {
    if (error instanceof NotInstallable) {
      counts.skipped++
      said(`skipped, since it cannot be installed here: ${error.message}`)
    } else {
      counts.failed++
      said(`FAILED: ${error.message}`)
    }
  }
}
child.kill()
if (!process.env.CLIENTS_FOLDER) await rm(FOLDER, { recursive: true })
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
process.exitCode = counts.failed > 0 ? 1 : 0
