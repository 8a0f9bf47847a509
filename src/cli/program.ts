/** How a command line is run. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Command, CommanderError, Help } from 'commander'
import { VERSION } from '../scenario/library.js'
import { type CommandLine, type CommandSpec, STATUS } from './command.js'
import { START } from './commands/start.js'
import { COMMANDS, FIRST_COMMANDS } from './commands.js'
import { failureLines, statusOf } from './failures.js'
import { coloured, printLine } from './printing.js'
import { SAYS } from './sentences.js'

export type Streams = Pick<CommandLine, 'stdout' | 'stderr'>

const EXAMPLES = `
Examples:
  commerce-emulator                                  the default scenario
  commerce-emulator --port 0 --scenario ./own.yaml   your scenario, a free port
  commerce-emulator --set pagination.max_limit=5     any setting, by its key
  commerce-emulator validate ./own.yaml              only check a scenario

Exit status: ${STATUS.done} when all is well, ${STATUS.failed} when something failed (a scenario, a check),
${STATUS.misused} when the command line or a setting is wrong, ${STATUS.unmet} when a criterion failed;
exec and record exit with the status of their command if it failed.

A flag takes precedence over its environment variable, and the variable over the
scenario. GET /_control/settings of a running emulator lists every setting and
where its value came from.`

const FLAG = /^-(-|[a-z]$)/i

/** The exit status, null when the process goes on serving. */
export async function run(
  args: readonly string[],
  environment: CommandLine['environment'],
  streams: Streams
): Promise<number | null> {
  const { stdout, stderr } = streams
  const failing = outliveFailures(streams)
  let status: number | null = STATUS.done
  const program = programOn(streams)
  for (const [name, spec] of Object.entries(COMMANDS)) {
    const command = addCommand(program, name, spec, args)
    command.allowExcessArguments(name === 'start').action(async () => {
      const operand = spec.argument ? command.processedArgs[0] : command.args
      const line = { program, environment, stdout, stderr }
      status = await spec.run(command.opts(), line, operand)
    })
  }
  program.configureHelp({
    visibleOptions: command => [...START.options, ...new Help().visibleOptions(command)]
  })
  await program.parseAsync([...args], { from: 'user' }).catch(error => {
    if (error instanceof CommanderError) {
      if (error.exitCode !== 0) status = STATUS.misused
      return
    }
    status = statusOf(error)
    stderr.write(coloured(`${failureLines(error).join('\n')}\n`, stderr))
  })
  await nextTurn()
  return status === STATUS.done && failing.has('stdout') ? STATUS.failed : status
}

/** Reports streams that cannot be written, and returns their names; EPIPE is no failure. */
function outliveFailures({ stdout, stderr }: Streams): ReadonlySet<string> {
  const failing = new Set<string>()
  for (const [name, stream] of Object.entries({ stdout, stderr }))
    stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE' || failing.has(name)) return
      failing.add(name)
      printLine(stderr, SAYS.lines_missing(name, message))
    })
  return failing
}

function addCommand(
  program: Command,
  name: string,
  { about, argument, options = [], examples }: CommandSpec,
  args: readonly string[]
): Command {
  const isDefault = name === 'start'
  const command = program
    .command(name, { isDefault })
    .description(about)
    .addHelpText('after', examplesText(examples))
    .showHelpAfterError(whereToLook(isDefault ? '' : ` ${name}`))
    // the options after a command to run are those of that command
    .passThroughOptions(argument?.[0] === '<command...>')
  if (FIRST_COMMANDS.includes(name)) command.helpGroup('Commands:')
  if (argument) command.argument(...argument)
  for (const option of options) {
    // commander takes any next word as the value; this listener comes before its own
    command.on(`option:${option.name()}`, (value?: string) => {
      if (value !== undefined && FLAG.test(value) && args.includes(value))
        command.error(`error: ${SAYS.no_option_value(option.flags, value)}`)
    })
    command.addOption(option)
  }
  return command
}

function examplesText(examples: CommandSpec['examples']): string {
  const lines = examples.map(([about, line]) => `  # ${about}\n  ${line}`)
  return `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.join('\n\n')}`
}

const whereToLook = (command: string) =>
  `(run commerce-emulator${command} --help for ${command === '' ? 'the commands and' : 'its'} flags)`

/** An option with several values takes the command for more of them. */
const refusalOf = (message: string): string =>
  message.includes("argument 'command'") ? `${message.trim()}; ${SAYS.dashes_first()}\n` : message

const programOn = ({ stdout, stderr }: Streams): Command =>
  new Command('commerce-emulator')
    .description('A local emulator of the Commerce Service API.')
    .version(VERSION, '-V, --version', 'Print the version.')
    .helpOption('-h, --help', 'Print this help.')
    .commandsGroup('More:')
    .helpCommand('help [command]', 'Print the help of a command.')
    .addHelpText('after', EXAMPLES)
    .enablePositionalOptions()
    .configureOutput({
      writeOut: text => stdout.write(text),
      writeErr: text => stderr.write(coloured(text, stderr)),
      outputError: (message, write) => write(refusalOf(message)),
      getOutHelpWidth: () => stdout.columns
    })
    .exitOverride()
    .showHelpAfterError(whereToLook(''))
