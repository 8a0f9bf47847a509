/** What `commerce-emulator exec` runs, with commands in separate processes. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { SETTING_KEYS, variableOf } from '../../src/core/settings.js'
import { smallFixture } from '../support/emulator.js'

/**
 * Node.js arguments for the command: its source, which is covered, or the build, which starts
 * sooner.
 */
export const SOURCE = [
  ...process.execArgv,
  fileURLToPath(new URL('../../src/main.ts', import.meta.url))
]
export const BUILT = [fileURLToPath(new URL('../../dist/main.js', import.meta.url))]

/** A command that runs JavaScript, which can use `base`, `key`, `control`, `call` and `save`. */
export const script = (code: string) => [
  process.execPath,
  '--input-type=module',
  '-e',
  `import { writeFileSync } from 'node:fs'
const { COMMERCE_BASE_URL: base, COMMERCE_API_KEY: key, COMMERCE_CONTROL_URL: control } = process.env
const call = (on, form) => {
  const [method, path] = on.split(' ')
  const authorization = 'Basic ' + btoa(key + ':')
  return fetch(base + path, { method, headers: path === '/transactions' && method === 'POST' ? {} : { authorization }, ...(form && { body: new URLSearchParams(form) }) })
}
const save = (file, value) => writeFileSync(file, JSON.stringify(value))
${code}`
]
export const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

export const scenarioIn = (t: Test, more: object = {}, name = 'own') =>
  `${t.testdir({ 'own.yaml': JSON.stringify({ name, data: smallFixture(), ...more }) })}/own.yaml`

const environment = { ...process.env }
for (const name of ['GITHUB_ACTIONS', 'GITHUB_STEP_SUMMARY', ...SETTING_KEYS.map(variableOf)])
  delete environment[name]

export type Running = {
  child: ChildProcess
  stdout: () => string
  stderr: () => string
  ended: Promise<number | string>
}
type Options = { variables?: Record<string, string>; nodeArgs?: string[]; main?: string[] }

export function running(
  t: Test,
  args: string[],
  { variables = {}, nodeArgs = [], main = SOURCE }: Options = {}
): Running {
  const child = spawn(process.execPath, [...nodeArgs, ...main, ...args], {
    env: { ...environment, ...variables }
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', chunk => {
    stdout += chunk
  })
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  child.stdin.end('from-outside')
  t.teardown(() => child.kill('SIGKILL'))
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended: once(child, 'close').then(([code, signal]) => code ?? signal)
  }
}

export async function linesWritten({ stdout, ended }: Running, count: number): Promise<void> {
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  while (stdout().split('\n').length <= count && !isOver) await sleep(20)
}
