/**
 * Real clients, each in its own process and sandbox, against the built command: session.txt lists
 * the requests and responses.
 */
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { OWN_ENVIRONMENT, startBuiltCommand } from '../conformance/built-command.js'

const HERE = fileURLToPath(new URL('./plain/', import.meta.url))
/** Without a proxy; no toolchain is downloaded. */
const ENVIRONMENT = {
  ...OWN_ENVIRONMENT,
  GOTOOLCHAIN: 'local',
  GO111MODULE: 'off',
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONUTF8: '1'
}
const GO = join(mkdtempSync(join(tmpdir(), 'client-')), 'session')
/** Each client's command, and a check whether this machine can run it. */
const CLIENTS: [name: string, command: string[], check: string[]][] = [
  ['java', ['java', '-XX:TieredStopAtLevel=1', 'Session.java'], ['-version']],
  ['go', [GO], []],
  ['axios', [process.execPath, 'axios.mjs'], ['--version']],
  ['fetch', [process.execPath, 'fetch.mjs'], ['--version']],
  ['curl', ['sh', 'curl.sh'], ['-c', 'curl --version']],
  ['urllib', ['python3', 'session_urllib.py'], ['--version']],
  ['requests', ['python3', 'session_requests.py'], ['-c', 'import requests']],
  ['perl', ['perl', 'session.pl'], ['-MLWP::UserAgent', '-e', '1']]
]

// built outside the tests: a first build takes minutes on a busy machine
spawnSync('go', ['build', '-o', GO, 'session.go'], { cwd: HERE, env: ENVIRONMENT })
const { baseUrl, stop } = await startBuiltCommand()
t.teardown(async () => {
  rmSync(dirname(GO), { recursive: true })
  await stop()
})
t.jobs = 2

for (const [name, [program = '', ...args], check] of CLIENTS) {
  const isThere =
    name === 'go' ? existsSync(GO) : spawnSync(program, check, { env: ENVIRONMENT }).status === 0
  const skip = !isThere && `${name} is not on this machine`
  t.test(`a session with ${name}`, { skip }, async t => {
    const env = {
      ...ENVIRONMENT,
      COMMERCE_BASE_URL: baseUrl.replace('/next', `/sandbox/${name}/next`),
      COMMERCE_API_KEY: 'sk_test_merchant',
      COMMERCE_SESSION: `${HERE}session.txt`
    }
    const { stdout } = await promisify(execFile)(program, args, { cwd: HERE, env })
    t.equal(stdout, 'session complete\n')
  })
}
