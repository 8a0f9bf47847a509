/** Real clients, each in a process of its own, against the command as it is built. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { OWN_ENVIRONMENT, startBuiltCommand } from '../conformance/built-command.js'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const TIMEOUT = 90_000
/** No proxy among it, and no toolchain is fetched. */
const ENVIRONMENT = { ...OWN_ENVIRONMENT, GOTOOLCHAIN: 'local', GO111MODULE: 'off', PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1' }

const CLIENTS = [
  { title: 'JavaScript with axios and qs', command: [process.execPath, 'pos-session.mjs'], version: null },
  { title: 'Python with urllib', command: ['python3', 'pos_session.py'], version: '--version' },
  { title: 'Java with HttpClient', command: ['java', 'PosSession.java'], version: '-version' },
  { title: 'Go with net/http', command: ['go', 'run', 'pos_session.go'], version: 'version' }
] as const

const { baseUrl, stop } = await startBuiltCommand()
t.teardown(stop)
t.setTimeout(TIMEOUT * CLIENTS.length)

for (const { title, command, version } of CLIENTS) {
  const [runtime] = command
  const skip = version !== null && spawnSync(runtime, [version], { env: ENVIRONMENT }).status !== 0 && `${runtime} is not on this machine`

  t.test(`one session at a point of sale: ${title}`, { skip, timeout: TIMEOUT }, async t => {
    const { code, output, complaint } = await ran(command)

    t.equal(code, 0, complaint || 'exit code 0')
    t.equal(output.trimEnd().split('\n').at(-1), 'session complete: 9 steps', output)
  })
}

t.test('after all sessions the emulator ends with exit code 0', async t => t.equal(await stop(), 0))

async function ran([program, ...args]: readonly string[]) {
  const child = spawn(program as string, args, {
    cwd: HERE,
    env: { ...ENVIRONMENT, COMMERCE_BASE_URL: baseUrl, COMMERCE_API_KEY: 'sk_test_merchant' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT - 5000
  })
  let [output, complaint] = ['', '']
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    complaint += text
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output, complaint }
}
