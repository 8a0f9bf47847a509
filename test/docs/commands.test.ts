/** Every command on a page runs, and its output is what the page shows. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { OWN_ENVIRONMENT } from '../conformance/built-command.js'
import { compact, type Example, PAGES, readPage, textOf } from './pages.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Commands that download, build an image, or need a missing service. */
const NOT_RUN =
  /^(docker|npm|npx(?! commerce-emulator$)|yarn|git|gh|kubectl|nginx|cd|CONFORMANCE_)|service\.example|_balancer| -- npm /
/** Commands that start an emulator in the usual way: one runs already. */
const START = /^(npx commerce-emulator|npm start|commerce-emulator( start)?)$/
/** Commands that start one in another way. */
const START_OTHERWISE = /^commerce-emulator (start )?--/
/** Has tests of its own. */
const ELSEWHERE = ['docs/scenarios.md']
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g
const RECENT_MS = 3_600_000

/** Output with the values that differ between runs replaced by words of `patternOf`. */
const settled = (text: string, port: number) =>
  text
    .replaceAll(`localhost:${port}`, 'localhost:4010')
    .replaceAll(INSTANT, instant =>
      Math.abs(Date.parse(instant) - Date.now()) < RECENT_MS ? 'NOW' : instant
    )
    .trim()

/**
 * The output on a page as a pattern: the present is any instant, `…` any text, durations and client
 * versions any number.
 */
function patternOf(answer: string): RegExp {
  const parts = answer.split(/(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|"ms":[\d.]+|curl\/[\d.]+|…)/)
  const pattern = parts.map((part, index) => {
    if (index % 2 === 0) return part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    if (part === '…') return '[^]*?'
    return part.startsWith('"ms"') || part.startsWith('curl')
      ? part.replace(/[\d.]+$/, '[\\d.]+')
      : `(?:NOW|${part})`
  })
  return new RegExp(`^${pattern.join('')}$`)
}

/** Every page begins in the default scenario. */
const LOAD = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"scenario":"default"}'
}

const skip = spawnSync('curl', ['--version']).status === 0 ? false : 'curl is not installed'

t.test('docs: every command runs, and prints what the page shows', { skip }, async t => {
  const emulator = spawn(process.execPath, [`${ROOT}dist/main.js`, '--port', '0'], {
    env: OWN_ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'ignore']
  })
  t.teardown(() => emulator.kill())
  const started: string[] = []
  for await (const line of createInterface(emulator.stdout)) {
    started.push(line)
    if (line.startsWith('commerce-emulator ready on ')) break
  }
  const { port: text } = new URL(started.at(-1)?.split(' ').at(-1) as string)
  const port = Number(text)
  const bin = t.testdir()
  for (const [name, line] of [
    ['commerce-emulator', `exec '${process.execPath}' '${ROOT}dist/main.js' "$@"`],
    ['curl', `exec env PATH="$REAL_PATH" curl -sS "$@"`]
  ] as const) {
    writeFileSync(`${bin}/${name}`, `#!/bin/sh\n${line}\n`)
    chmodSync(`${bin}/${name}`, 0o755)
  }

  const { PATH } = process.env
  const own = {
    NO_COLOR: '1',
    GITHUB_ACTIONS: '',
    PORT: '0',
    LOG_LEVEL: 'silent'
  }
  const environment = { ...process.env, PATH: `${bin}:${PATH}`, REAL_PATH: PATH, ...own }

  /** Runs the commands; returns the status and the last output: stdout, or stderr for a run. */
  const run = async ({ commands }: Example, cwd: string) => {
    const script = commands.map(command =>
      command.replaceAll('localhost:4010', `localhost:${port}`)
    )
    const shell = spawn('sh', ['-e', '-c', script.join("\nprintf '\\0'; printf '\\0' >&2\n")], {
      cwd,
      env: environment
    })
    const printed = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      shell[name].setEncoding('utf8').on('data', part => (printed[name] += part))
    const [status] = await once(shell, 'close')
    const last = (text: string) => settled(text.split('\0').at(-1) as string, port)
    const isRun = /^commerce-emulator (exec|judge)/.test(commands.at(-1) as string)
    return {
      status,
      text: isRun ? last(printed.stderr) : last(printed.stdout) || last(printed.stderr)
    }
  }

  /** Starts an emulator with the command, and ends it when ready. */
  const isReady = async (command: string, cwd: string) => {
    const shell = spawn('sh', ['-c', `exec ${command}`], {
      cwd,
      env: environment,
      stdio: ['ignore', 'pipe', 'ignore']
    })
    for await (const line of createInterface(shell.stdout))
      if (line.startsWith('commerce-emulator ready on ')) shell.kill()
    return (await once(shell, 'close'))[0] === 0
  }

  for (const page of PAGES.filter(page => !ELSEWHERE.includes(page))) {
    const { files, examples } = readPage(textOf(page))
    const shown = examples.filter(
      ({ commands }) =>
        commands.length > 0 &&
        !commands.some(command => NOT_RUN.test(command) && !START.test(command))
    )
    if (shown.length === 0) continue
    await t.test(page, async t => {
      const cwd = t.testdir(files)
      for (const name of readdirSync(ROOT))
        if (!(name in files) && !name.startsWith('.git'))
          symlinkSync(`${ROOT}${name}`, `${cwd}/${name}`)
      const { status } = await fetch(`http://localhost:${port}/_control/load`, LOAD)
      t.equal(status, 200)
      for (const example of shown) {
        const { line, commands, isJson } = example
        const answer = isJson ? compact(example.answer as string) : example.answer
        const title = `${page}:${line} ${commands.at(-1)}`
        if (commands.every(command => START.test(command))) {
          if (answer !== null) t.match(settled(started.join('\n'), port), patternOf(answer), title)
        } else if (commands.every(command => START_OTHERWISE.test(command))) {
          for (const command of commands) t.equal(await isReady(command, cwd), true, title)
        } else {
          const { status, text: printed } = await run(example, cwd)
          const text = isJson ? compact(printed) : printed
          if (answer === null) t.equal(status, 0, status === 0 ? title : `${title}\n${text}`)
          else if (patternOf(answer).test(text)) t.pass(title)
          else t.equal(text, answer, title)
        }
      }
    })
  }
})
