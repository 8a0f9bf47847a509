/**
 * `npm run test:clients [-- NAME …]`: generates clients from the OpenAPI document, and runs each of
 * them and the plain clients through the session of the README. Installs what they need into a
 * temporary folder, or `CLIENTS_FOLDER`; a client that cannot be installed is skipped.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const PLAIN = fileURLToPath(new URL('../plain', import.meta.url))
const HERE = fileURLToPath(new URL('.', import.meta.url))
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const FOLDER = process.env.CLIENTS_FOLDER ?? (await mkdtemp(join(tmpdir(), 'clients-')))
const KEY = 'sk_test_merchant'
const MAX_RUN_MS = 600_000

class NotInstallable extends Error {}

/** Runs a command line of words without spaces; returns its output. Errors: the end of it. */
async function run(line, { cwd, env = {}, allowed = [0] }) {
  const [program, ...args] = line.split(' ')
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: MAX_RUN_MS
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => (output += text))
  const [code] = await Promise.race([
    once(child, 'close'),
    once(child, 'error').then(([error]) => [error.code])
  ])
  if (!allowed.includes(code)) throw new Error(`${line} ended with ${code}\n${output.slice(-3000)}`)
  return output
}

async function install(line, options) {
  try {
    return await run(line, options)
  } catch (error) {
    throw new NotInstallable(error.message.split('\n').filter(Boolean).at(0))
  }
}

async function npm(cwd, ...packages) {
  await writeFile(join(cwd, 'package.json'), '{"private":true,"type":"module"}')
  const flags = '--no-audit --no-fund --ignore-scripts --loglevel=error'
  await install(`npm install ${flags} ${packages.join(' ')}`, { cwd })
}
async function pip(cwd, packages) {
  await install('python3 -m venv .venv', { cwd })
  await install(`.venv/bin/pip install --quiet --disable-pip-version-check ${packages}`, { cwd })
}
const bin = (cwd, name) => join(cwd, 'node_modules/.bin', name)
const copied = (cwd, ...files) =>
  Promise.all(files.map(file => cp(join(HERE, file), join(cwd, file))))

const TSCONFIG = {
  target: 'ES2022',
  module: 'ESNext',
  moduleResolution: 'Bundler',
  strict: true,
  skipLibCheck: true,
  lib: ['ES2022', 'DOM', 'DOM.Iterable'],
  types: ['node'],
  allowImportingTsExtensions: true,
  noEmit: true
}
async function typescript(cwd, file, env) {
  await writeFile(
    join(cwd, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: TSCONFIG, files: [file] })
  )
  await run(bin(cwd, 'tsc'), { cwd })
  const esbuild = join(ROOT, 'node_modules/.bin/esbuild')
  const flags = '--bundle --platform=node --format=esm --log-level=warning --packages=external'
  await run(`${esbuild} ${file} --outfile=session.mjs ${flags}`, { cwd })
  return run(`${process.execPath} session.mjs`, { cwd, env })
}
const TYPESCRIPT = ['typescript@5', '@types/node@20']

/** The generator of https://openapi-generator.tech, from Maven Central. */
const GENERATOR = '7.17.0'
async function generator(cwd, language, properties) {
  await install('java -version', { cwd })
  const jar = join(FOLDER, `openapi-generator-cli-${GENERATOR}.jar`)
  const artifact = `-Dartifact=org.openapitools:openapi-generator-cli:${GENERATOR}`
  const flags = `${artifact} -DoutputDirectory=${FOLDER} -Dmdep.useBaseVersion=true`
  await readFile(jar).catch(() => install(`mvn -q dependency:copy ${flags}`, { cwd }))
  const more = properties ? ` --additional-properties=${properties}` : ''
  await run(`java -jar ${jar} generate -i openapi.json -g ${language} -o client${more}`, { cwd })
}

async function go(cwd, session, env) {
  await install('go version', { cwd })
  await cp(join(HERE, session), join(cwd, 'main.go'))
  await install('go mod tidy', { cwd })
  return run('go run .', { cwd, env })
}

const CARGO = `[package]
name = "session"
version = "0.0.0"
edition = "2021"

[dependencies]
commerce = { path = "client", default-features = false }
`

/**
 * What Schemathesis finds and is right, by the name of its check: a disabled operation answers 501;
 * no schema says what is stored, the exact formats, what a payment type requires, which parameters
 * of a query exclude each other, and that a sum is at most 2^53-1.
 */
const RIGHT = {
  ST101: block => block.includes('"code":"operation_disabled"'),
  // it spoils the key's header, and what it spoils besides may have no form; `--auth` puts the key
  // back
  ST201: block => /- header: violates .*Authorization/.test(block),
  ST202: block =>
    /"code":"(cursor_unknown|charge_already_refunded|reference_missing)"|cannot be sent together|above 2\^53-1|"rule":"(ADDR-2|TXN-[346]|USR-3|FILT-[1-4])"|"assumption":"A(30|38)"/.test(
      block
    )
}
const SEEDS = ['1', '2', '3']

async function schemathesis(cwd, { COMMERCE_BASE_URL, COMMERCE_CONTROL_URL }) {
  await pip(cwd, 'schemathesis')
  for (const seed of SEEDS) {
    await fetch(`${COMMERCE_CONTROL_URL}/reset`, { method: 'POST' })
    const phases = '--phases examples,coverage,fuzzing,stateful --max-examples 30'
    const flags = `--url ${COMMERCE_BASE_URL} --auth ${KEY}: --checks all ${phases} --no-color`
    const line = `.venv/bin/schemathesis run ${DOCUMENT} ${flags} --seed ${seed}`
    const output = await run(line, { cwd, allowed: [0, 1] })
    const [, ...blocks] = output.split('=== SUMMARY')[0].split(/Test Case ID:/)
    const wrong = blocks.filter(block =>
      [...block.matchAll(/^- (\w+) /gm)].some(([, check]) => !RIGHT[check]?.(block))
    )
    const isRead =
      output.includes('Tested: 22') &&
      blocks.length === Number(/found (\d+) unique failures?/.exec(output)?.[1])
    if (wrong.length > 0 || !isRead)
      throw new Error(
        `Schemathesis found with seed ${seed}\n${wrong.join('\n') || output.slice(-2000)}`
      )
  }
}

const plain = (script, program, prepare) => ({
  async tried(cwd, env) {
    await (prepare ? prepare(cwd) : install(`${program} --version`, { cwd }))
    await cp(join(PLAIN, script), join(cwd, script))
    const own = { ...env, COMMERCE_SESSION: join(PLAIN, 'session.txt') }
    return run(`${program} ${script}`, { cwd, env: own })
  }
})

/** A client for TypeScript that is generated from the document, `session`.ts and what it needs. */
const generated = (session, packages, line = '', prepare = async () => {}) => ({
  async tried(cwd, env) {
    if (packages) await npm(cwd, ...packages.split(' '), ...TYPESCRIPT)
    else await npm(cwd, ...TYPESCRIPT)
    await prepare(cwd, env)
    await copied(cwd, 'session.ts', `${session}.ts`)
    if (line) await run(bin(cwd, line), { cwd })
    return typescript(cwd, `${session}.ts`, env)
  }
})
const pythonClient = (of, session) => ({
  of,
  async tried(cwd, env) {
    await pip(cwd, 'openapi-python-client')
    const flags = '--path openapi.json --meta none --output-path client --overwrite'
    await run(`.venv/bin/openapi-python-client generate ${flags}`, { cwd })
    await copied(cwd, session)
    return run(`.venv/bin/python ${session}`, { cwd, env })
  }
})
const oapiCodegen = (of, session) => ({
  of,
  async tried(cwd, env) {
    const tool = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@latest'
    await install(`go install ${tool}`, { cwd, env: { GOBIN: cwd } })
    await mkdir(join(cwd, 'commerce'), { recursive: true })
    const flags = '-generate types,client -package commerce -o commerce/client.go'
    await run(`./oapi-codegen ${flags} openapi.json`, { cwd })
    await writeFile(join(cwd, 'go.mod'), 'module session\n\ngo 1.24\n')
    return go(cwd, session, env)
  }
})
const KUBB = `import { defineConfig } from '@kubb/core'
import { pluginClient } from '@kubb/plugin-client'
import { pluginOas } from '@kubb/plugin-oas'
import { pluginTs } from '@kubb/plugin-ts'
export default defineConfig({
  root: '.', input: { path: './openapi.json' }, output: { path: './client' },
  plugins: [pluginOas({ validate: false }), pluginTs(), pluginClient({ client: 'fetch' })]
})
`

const DOCUMENT = 'openapi.json'
/** Operations without a success, though linters demand one. */
const DISABLED = ['locations', 'accounts'].map(
  family => `#/paths/~1${family}~1{id}/delete/responses`
)

/**
 * Tools that check the document, and clients, by name: the document, and how to run each in a folder
 * with it.
 */
const CLIENTS = {
  redocly: {
    async tried(cwd) {
      await npm(cwd, '@redocly/cli')
      await writeFile(
        join(cwd, 'redocly.yaml'),
        'extends: [recommended-strict]\nrules: { no-server-example.com: off }\n'
      )
      await writeFile(
        join(cwd, '.redocly.lint-ignore.yaml'),
        JSON.stringify({ [DOCUMENT]: { 'operation-2xx-response': DISABLED } })
      )
      const env = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
      await run(bin(cwd, `redocly lint ${DOCUMENT}`), { cwd, env })
    }
  },
  spectral: {
    async tried(cwd) {
      await npm(cwd, '@stoplight/spectral-cli')
      const overrides = DISABLED.map(place => ({
        files: [DOCUMENT + encodeURI(place)],
        rules: { 'operation-success-response': 'off' }
      }))
      await writeFile(
        join(cwd, '.spectral.json'),
        JSON.stringify({ extends: ['spectral:oas'], overrides })
      )
      await run(bin(cwd, `spectral lint ${DOCUMENT} --fail-severity=hint`), { cwd })
    }
  },
  'openapi-typescript': generated(
    'openapi-fetch',
    'openapi-typescript openapi-fetch',
    'openapi-typescript openapi.json -o schema.d.ts'
  ),
  'hey-api': generated(
    'hey-api',
    '@hey-api/openapi-ts',
    'openapi-ts -i openapi.json -o client -c @hey-api/client-fetch'
  ),
  'swagger-typescript-api': generated(
    'swagger-typescript-api',
    'swagger-typescript-api',
    'swagger-typescript-api generate -p openapi.json -o client -n api.ts'
  ),
  oazapfts: generated('oazapfts', 'oazapfts @oazapfts/runtime', 'oazapfts openapi.json client.ts'),
  zodios: generated(
    'zodios',
    'openapi-zod-client @zodios/core zod@3 axios',
    'openapi-zod-client openapi.json -o client.ts --with-alias'
  ),
  kubb: generated(
    'kubb',
    '@kubb/cli@4 @kubb/core@4 @kubb/plugin-oas@4 @kubb/plugin-ts@4 @kubb/plugin-client@4',
    'kubb generate',
    cwd => writeFile(join(cwd, 'kubb.config.mjs'), KUBB)
  ),
  msw: generated('msw', 'msw @mswjs/source'),
  orval: generated('orval', 'orval', 'orval', (cwd, { COMMERCE_BASE_URL: baseUrl }) => {
    const override = { formUrlEncoded: { path: './session.ts', name: 'formOf' } }
    const output = { target: 'client.ts', client: 'fetch', baseUrl, override }
    const config = JSON.stringify({ commerce: { input: 'openapi.json', output } })
    return writeFile(join(cwd, 'orval.config.mjs'), `export default ${config}`)
  }),
  'generator-typescript-fetch': generated('generator-fetch', '', '', cwd =>
    generator(cwd, 'typescript-fetch')
  ),
  'openapi-python-client': pythonClient('emulated', 'openapi_python_client.py'),
  'control-python': pythonClient('control', 'control_python.py'),
  'generator-python': {
    async tried(cwd, env) {
      await generator(cwd, 'python', 'packageName=commerce')
      await pip(cwd, '-r client/requirements.txt')
      await copied(cwd, 'generator_python.py')
      return run('.venv/bin/python generator_python.py', { cwd, env })
    }
  },
  'generator-go': {
    async tried(cwd, env) {
      await generator(cwd, 'go', 'packageName=commerce,withGoMod=false')
      await rm(join(cwd, 'client/test'), { recursive: true, force: true })
      await writeFile(join(cwd, 'client/go.mod'), 'module commerce\n\ngo 1.23\n')
      await writeFile(
        join(cwd, 'go.mod'),
        'module session\n\ngo 1.23\n\nrequire commerce v0.0.0\n\nreplace commerce => ./client\n'
      )
      return go(cwd, 'generator_go.go', env)
    }
  },
  'oapi-codegen': oapiCodegen('emulated', 'oapi_codegen.go'),
  'control-go': oapiCodegen('control', 'control_go.go'),
  'generator-java': {
    async tried(cwd, env) {
      const properties = 'library=native,openApiNullable=false,hideGenerationTimestamp=true'
      await generator(cwd, 'java', properties)
      const client = join(cwd, 'client')
      const classpath = 'dependency:build-classpath -Dmdep.outputFile=classpath.txt'
      await install(`mvn -q -B -DskipTests compile ${classpath}`, { cwd: client })
      await copied(cwd, 'GeneratorJava.java')
      const libraries = await readFile(join(client, 'classpath.txt'), 'utf8')
      const classes = `client/target/classes:${libraries.trim()}`
      return run(`java -cp ${classes} GeneratorJava.java`, { cwd, env })
    }
  },
  'generator-rust': {
    async tried(cwd, env) {
      // without TLS, which needs a system library
      await generator(cwd, 'rust', 'packageName=commerce,supportAsync=false')
      await writeFile(join(cwd, 'Cargo.toml'), CARGO)
      await mkdir(join(cwd, 'src'), { recursive: true })
      await cp(join(HERE, 'generator_rust.rs'), join(cwd, 'src/main.rs'))
      await install('cargo fetch --quiet', { cwd })
      return run('cargo run --quiet', { cwd, env })
    }
  },
  schemathesis: { tried: schemathesis },
  curl: plain('curl.sh', 'sh', cwd => install('curl --version', { cwd })),
  fetch: plain('fetch.mjs', process.execPath),
  'stripe-node': plain('stripe.mjs', process.execPath, cwd => npm(cwd, 'stripe')),
  requests: plain('session_requests.py', '.venv/bin/python', cwd => pip(cwd, 'requests')),
  php: plain('session.php', 'php'),
  ruby: plain('session.rb', 'ruby'),
  perl: plain('session.pl', 'perl')
}

async function startEmulator() {
  const child = spawn(
    process.execPath,
    [join(ROOT, 'dist/main.js'), '--port', '0', '--log-level', 'error'],
    { stdio: ['ignore', 'pipe', 'inherit'] }
  )
  for await (const line of createInterface({ input: child.stdout })) {
    const [, baseUrl] = /^commerce-emulator ready on (\S+)$/.exec(line) ?? []
    if (baseUrl) return { baseUrl, child }
  }
  throw new Error('The emulator did not start; npm run build makes it.')
}

const ADDRESSES = {
  emulated: '/openapi.json',
  control: '/openapi.control.json'
}
async function tried(name, { of = 'emulated', tried }, baseUrl) {
  const control = baseUrl.replace(/\/next$/, '/_control')
  await fetch(`${control}/reset`, { method: 'POST' })
  const cwd = join(FOLDER, name)
  await mkdir(cwd, { recursive: true })
  const document = await fetch(`${control}${ADDRESSES[of]}`)
  await writeFile(join(cwd, DOCUMENT), await document.text())
  return tried(cwd, {
    COMMERCE_BASE_URL: baseUrl,
    COMMERCE_API_KEY: KEY,
    COMMERCE_CONTROL_URL: control
  })
}

const asked = process.argv.slice(2)
const unknown = asked.filter(name => !(name in CLIENTS))
if (unknown.length > 0)
  throw new Error(`${unknown.join(', ')}: one of ${Object.keys(CLIENTS).join(', ')} was expected.`)
const { baseUrl, child } = await startEmulator()
const counts = { passed: 0, failed: 0, skipped: 0 }
for (const name of asked.length > 0 ? asked : Object.keys(CLIENTS)) {
  const start = Date.now()
  const said = text =>
    console.log(`${name}: ${text} (${Math.round((Date.now() - start) / 1000)} s)`)
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
