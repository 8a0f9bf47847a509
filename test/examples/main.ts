/**
 * `npm run test:examples [-- NAME …]`: runs every recipe as its README says, in a copy and with the
 * packed package, and checks the others against their published schemas. Needs npm, PyPI, the Go
 * proxy and Maven's repository; recipes that this machine cannot run are skipped.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { CHECKED, commandsOf, EXAMPLES, missingFor, type Recipe, RUN } from './recipes.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const WORKFLOWS = `${ROOT}.github/workflows/*.yml`
const ACTIONLINT = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.7'
const TYPES =
  'npx tsc --noEmit --strict --skipLibCheck --allowJs --checkJs --module esnext --moduleResolution bundler --target es2023 --types node'
/** Errors of npm, pip, Go and Maven without a network. */
const UNREACHABLE =
  /ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|Name or service not known|Temporary failure in name resolution|no such host|dial tcp .*|Unknown host .*/
const SHOWN_LINES = 60

const work = await mkdtemp(join(tmpdir(), 'commerce-examples-'))
const venv = join(work, 'venv')
// a running emulator is not the test's
const { PATH, CHROMIUM_PATH = '/usr/bin/chromium', COMMERCE_URL, ...others } = process.env
const environment = {
  ...others,
  CHROMIUM_PATH,
  // npx and pip find what is installed for the test
  PATH: `${join(venv, 'bin')}:${PATH}`,
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  PYTHONDONTWRITEBYTECODE: '1',
  PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
  // not as silent as `npm run --silent`, which may have started this
  npm_config_loglevel: 'warn',
  NO_COLOR: '1',
  CI: '1'
}

type Ran = { status: number | null; output: string }

/** Runs a line in a shell; returns stdout and stderr, without colours. */
async function ran(line: string, cwd: string): Promise<Ran> {
  const child = spawn('sh', ['-c', `{ ${line}\n} 2>&1`], {
    cwd,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'close')])
  return { status, output: stripVTControlCharacters(output) }
}

/** Runs lines until one fails; returns all output. */
async function ranAll(lines: readonly string[], cwd: string): Promise<Ran> {
  const outputs: string[] = []
  for (const line of lines) {
    const { status, output } = await ran(line, cwd)
    outputs.push(`$ ${line}`, output)
    if (status !== 0) return { status, output: outputs.join('\n') }
  }
  return { status: 0, output: outputs.join('\n') }
}

/** The package as users get it: packed, and installed next to the copies, where npx finds it. */
async function packed(): Promise<void> {
  await writeFile(join(work, 'package.json'), '{ "private": true }')
  const packing = await ran(`npm pack --silent --pack-destination ${work}`, ROOT)
  const installing = await ranAll(
    [
      'mv commerce-emulator-*.tgz commerce-emulator.tgz',
      'npm install --no-audit --no-fund ./commerce-emulator.tgz'
    ],
    work
  )
  if (packing.status !== 0 || installing.status !== 0)
    throw new Error(`${packing.output}${installing.output}`)
}

/** A copy of an example that uses the packed package instead of the published one. */
async function copyOf(name: string): Promise<string> {
  const folder = join(work, name)
  await cp(join(EXAMPLES, name), folder, { recursive: true })
  const file = join(folder, 'package.json')
  const given = await readFile(file, 'utf8').catch(() => null)
  if (given)
    await writeFile(
      file,
      given.replace(/("commerce-emulator": )"[^"]+"/, '$1"file:../commerce-emulator.tgz"')
    )
  return folder
}

const typesChecked = (files: string) => [
  'npm install --no-audit --no-fund --no-save typescript@6 @types/node@20',
  `${TYPES} ${files}`
]

async function runs(recipe: Recipe): Promise<Ran> {
  const { status, output } = await ranAll(
    [...commandsOf(recipe), ...(recipe.typed ? typesChecked(recipe.typed) : [])],
    await copyOf(recipe.name)
  )
  const missing = recipe.passed.find(shown => !shown.test(output))
  return status === 0 && missing
    ? { status: null, output: `${output}\nThe output does not show ${missing}.` }
    : { status, output }
}

/** A pipeline's test command, run in the recipe for vitest. */
async function execOf(file: string): Promise<string> {
  const [command] = /npx commerce-emulator exec .*/.exec(
    await readFile(join(EXAMPLES, file), 'utf8')
  ) ?? ['false']
  return `cd ${await copyOf('vitest')} && npm install --no-audit --no-fund && ${command} && test -s reports/junit.xml && rm -r reports`
}

type Check = { needs: Recipe['needs']; how: string; run: () => Promise<Ran> }

const SCHEMA = 'checked against its published schema'
const schemaChecked = (schema: string, files: string) =>
  `pip install check-jsonschema && check-jsonschema --builtin-schema vendor.${schema} ${files}`
/** Checks of a recipe that cannot run completely. */
const CHECKS: Record<string, Check> = {
  'testcontainers-node': {
    needs: [],
    how: 'types checked',
    run: async () =>
      ranAll(
        ['npm install --no-audit --no-fund', ...typesChecked('*.mjs')],
        await copyOf('testcontainers-node')
      )
  },
  'testcontainers-python': {
    needs: ['python'],
    how: 'types checked',
    run: async () =>
      ranAll(
        [
          'pip install -r requirements.txt mypy types-requests',
          'mypy --strict .',
          'pytest --collect-only'
        ],
        await copyOf('testcontainers-python')
      )
  },
  'testcontainers-go': {
    needs: ['go'],
    how: 'vetted',
    run: async () => ranAll(['go mod tidy', 'go vet ./...'], await copyOf('testcontainers-go'))
  },
  'testcontainers-java': {
    needs: ['maven'],
    how: 'compiled',
    run: async () => ranAll(['mvn -q -B test-compile'], await copyOf('testcontainers-java'))
  },
  compose: {
    needs: ['python'],
    how: SCHEMA,
    run: () => ranAll([schemaChecked('compose-spec', 'compose/compose.yaml')], EXAMPLES)
  },
  'gitlab-ci': {
    needs: ['python'],
    how: `${SCHEMA}, and its command with exec run`,
    run: async () =>
      ranAll(
        [
          schemaChecked('gitlab-ci', '--data-transform gitlab-ci gitlab-ci/.gitlab-ci.yml'),
          await execOf('gitlab-ci/.gitlab-ci.yml')
        ],
        EXAMPLES
      )
  },
  'github-actions': {
    needs: ['python', 'go'],
    how: `${SCHEMA} and with actionlint, and its command with exec run`,
    run: async () => {
      const files = `github-actions/*.yml ${WORKFLOWS}`
      return ranAll(
        [
          schemaChecked('github-workflows', files),
          schemaChecked('github-actions', '../action.yml'),
          `go run ${ACTIONLINT} ${files}`,
          await execOf('github-actions/exec.yml')
        ],
        EXAMPLES
      )
    }
  }
}

let failures = 0
async function report(name: string, how: string, run: () => Promise<Ran>): Promise<void> {
  const began = Date.now()
  const { status, output } = await run()
  const seconds = ((Date.now() - began) / 1000).toFixed(1)
  if (status === 0) return console.log(`passed   ${name}: ${how} (${seconds} s)`)
  const [unreachable] = UNREACHABLE.exec(output) ?? []
  if (unreachable)
    return console.log(`skipped  ${name}: what it installs cannot be fetched (${unreachable})`)
  failures += 1
  console.log(
    `FAILED   ${name}: ${how} (${seconds} s)\n${output.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n')}`
  )
}

async function reportCheck(name: string): Promise<void> {
  const { needs, how, run } = CHECKS[name] ?? { needs: [], how: '', run: null }
  const missing = missingFor({ needs }, environment)
  if (run && missing === null) await report(name, `not run whole, but ${how}`, run)
  else if (run) console.log(`skipped  ${name}: not checked, since ${missing}`)
}

try {
  const wanted = process.argv.slice(2)
  const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name)
  await packed()
  if (missingFor({ needs: ['python'] }, environment) === null)
    await ran(`python3 -m venv ${venv}`, work)
  for (const recipe of RUN.filter(({ name }) => isWanted(name))) {
    const { name, typed } = recipe
    const missing = missingFor(recipe, environment)
    if (missing === null)
      await report(name, `run as its README says${typed ? ', types checked' : ''}`, () =>
        runs(recipe)
      )
    else {
      console.log(`skipped  ${name}: not run, since ${missing}`)
      await reportCheck(name)
    }
  }
  for (const name of CHECKED.filter(isWanted)) await reportCheck(name)
} finally {
  await rm(work, { recursive: true, force: true })
}
process.exitCode = failures === 0 ? 0 : 1
