/** The built command in a separate process on a free port. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const START_TIMEOUT = 60_000
const { PATH, HOME } = process.env

/** A child's environment, without settings or coverage of `dist/`. */
export const OWN_ENVIRONMENT = { PATH, HOME, _TAPJS_PROCESSINFO_COVERAGE_: '0' }

export type BuiltCommand = {
  baseUrl: string
  stop: () => Promise<number | string>
}

/** Starts `commerce-emulator --port 0` and waits for its ready line. Errors: its stderr. */
export async function startBuiltCommand(args: readonly string[] = []): Promise<BuiltCommand> {
  const child = spawn(process.execPath, [MAIN, '--port', '0', '--log-level', 'error', ...args], {
    env: OWN_ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const silent = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT)
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    complaint += text
  })
  const baseUrl = await Promise.race([readyUrl(child), ended.then(() => null)])
  clearTimeout(silent)
  if (baseUrl === null)
    throw new Error(
      `${MAIN} did not start (built by npm run build?): ${complaint || 'it wrote nothing to stderr'}`
    )

  const stop = async () => {
    child.kill('SIGTERM')
    const [code, signal] = await ended
    return code ?? (signal as string)
  }
  return { baseUrl, stop }
}

function readyUrl(child: ChildProcess): Promise<string> {
  return new Promise(resolve => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', line => {
      const [, url] = /^commerce-emulator ready on (\S+)$/.exec(line) ?? []
      if (url) resolve(url)
    })
  })
}
