/** The command that exec and record run. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { reasonOf, SAYS } from './sentences.js'

export type Command = [string, ...string[]]

const NOT_RUNNABLE = 126
const NOT_FOUND = 127
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
/** A terminal sends Ctrl-C and Ctrl-\ to the command as well. */
const OF_KEYBOARD: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT']

/** Returns the status, or 128 plus the signal, and why it is not 0. Passes signals on. */
export async function runCommand(
  [name, ...args]: Command,
  variables: Record<string, string>
): Promise<{ status: number; why: string; hasRun?: boolean }> {
  const child = spawn(name, args, { stdio: 'inherit', env: { ...process.env, ...variables } })
  const passOn = (signal: NodeJS.Signals) => {
    if (!process.stdin.isTTY || !OF_KEYBOARD.includes(signal)) child.kill(signal)
  }
  for (const signal of SIGNALS) process.on(signal, passOn)
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  return ended
    .then(
      ([code, signal]) => ({
        status: code ?? 128 + constants.signals[signal as NodeJS.Signals],
        why: SAYS.command_failed(signal ?? `status ${code}`)
      }),
      (error: NodeJS.ErrnoException) => ({
        status: error.code === 'ENOENT' ? NOT_FOUND : NOT_RUNNABLE,
        why: SAYS.not_run(name, reasonOf('run', error)),
        hasRun: false
      })
    )
    .finally(() => {
      for (const signal of SIGNALS) process.off(signal, passOn)
    })
}
