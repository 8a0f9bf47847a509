/** The command line: `commerce-emulator [start] | validate FILE… | healthcheck`. */
import { Command, CommanderError, Option } from 'commander'
import { ApiError } from '../core/errors.js'
import { SETTING_KEYS, SETTINGS, type SettingKey, settingsInForce, variableOf } from '../core/settings.js'
import { VERSION } from '../index.js'
import { settingsOfEnvironment, settingsOfFlags } from './launch.js'

export type Streams = { stdout: NodeJS.WriteStream; stderr: NodeJS.WriteStream }
type Flags = { set: string[] } & Partial<Record<SettingKey, string>>
type Environment = Readonly<Record<string, string | undefined>>

const collected = (text: string, before: string[]) => [...before, text]

/** The flags of the settings that have one, and `--set` for all of them. */
function withSettings(command: Command): Command {
  for (const key of SETTING_KEYS) {
    const { flag, about, default: fallback } = SETTINGS[key] as { flag?: string; about: string; default: unknown }
    if (!flag) continue
    const shown = fallback === null ? '' : ` (default ${fallback}; ${variableOf(key)})`
    command.addOption(new Option(`${flag} <${flag.slice(2).split('-').at(-1)}>`, `${about}${shown || ` (${variableOf(key)})`}`))
  }
  return command.option('--set <key=value>', 'any setting, as often as needed; see README, Settings', collected, [])
}

/** Runs the command line and answers the exit status, or null when the process goes on serving. Errors are told in clear lines on stderr. */
export async function run(args: readonly string[], environment: Environment, { stdout, stderr }: Streams): Promise<number | null> {
  let status: number | null = 0
  const launchOf = ({ set, ...flags }: Flags) => {
    const named = Object.fromEntries(Object.entries(flags).map(([name, text]) => [name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`), text]))
    return { flag: settingsOfFlags(named, set), environment: settingsOfEnvironment(environment) }
  }
  const program = new Command('commerce-emulator')
    .description('A local emulator of the Commerce Service API.')
    .version(VERSION)
    .configureOutput({ writeOut: text => stdout.write(text), writeErr: text => stderr.write(text) })
    .exitOverride()
    .showHelpAfterError('(run commerce-emulator --help for the commands and flags)')

  withSettings(program.command('start', { isDefault: true }).description('Start the emulator (the default command).')).action(async (flags: Flags) => {
    const { start } = await import('./start.js')
    const { flag, environment } = launchOf(flags)
    await start({ settings: flag, environment }, { stdout, stderr })
    status = null
  })

  withSettings(program.command('validate').argument('<file...>', 'scenario or fixture files').description('Check scenario and fixture files.')).action(
    async (files: string[], flags: Flags) => {
      const { validate } = await import('./validate.js')
      status = (await validate(files, launchOf(flags), line => stdout.write(`${line}\n`))) ? 0 : 1
    }
  )

  withSettings(program.command('healthcheck').description('Ask a running emulator whether it is ready; exit 0 when it is.')).action(async (flags: Flags) => {
    const { healthcheck } = await import('./healthcheck.js')
    status = (await healthcheck(settingsInForce(launchOf(flags)).values, line => stdout.write(`${line}\n`))) ? 0 : 1
  })

  try {
    await program.parseAsync([...args], { from: 'user' })
    return status
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode
    for (const line of failureLines(error as Error & { code?: string; port?: number; address?: string })) stderr.write(`${line}\n`)
    return 1
  }
}

/** A failure to start, for the person at the terminal. */
function failureLines(error: Error & { code?: string; port?: number; address?: string; path?: string }): string[] {
  if (error instanceof ApiError) {
    const problems = error.problems?.map(({ file, line, column, path, message }) =>
      `  ${[file, line, column].filter(part => part !== undefined).join(':')} ${path} ${message}`.replace(/ +/g, ' ')
    )
    return problems && problems.length > 1 ? [`commerce-emulator: ${error.message}`, ...problems] : [`commerce-emulator: ${error.message}`]
  }
  if (error.code === 'EADDRINUSE')
    return [`commerce-emulator: port ${error.port} on ${error.address} is in use; stop what uses it, or choose another with --port (0 picks a free one).`]
  if (error.code === 'EACCES' && error.port !== undefined)
    return [`commerce-emulator: port ${error.port} may not be used by this user; choose one above 1023 with --port.`]
  if (error.code === 'ENOTFOUND' || error.code === 'EADDRNOTAVAIL')
    return [`commerce-emulator: the host cannot be bound: ${error.message}; choose another with --host.`]
  if (error.code === 'ENOENT' || error.code === 'EISDIR' || error.code === 'ENOTDIR')
    return [`commerce-emulator: ${error.path} cannot be read: ${error.message}`]
  return [`commerce-emulator: ${error.stack ?? error.message}`]
}
