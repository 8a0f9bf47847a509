/** Reads the command line by the table of commands, and runs what it names. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Argument, Command, CommanderError, Help } from 'commander'
import { RETIRED_COMMANDS } from '../core/retired.js'
import { visible } from '../core/visible.js'
import { VERSION } from '../scenario/library.js'
import { coloured } from './colours.js'
import { COMMANDS, type CommandLine, type Spec } from './commands.js'
import { failureLines, STATUS, statusOf } from './failures.js'
import { linesOnVariables } from './launch.js'
import { SAYS } from './sentences.js'

export type Streams = Pick<CommandLine, 'stdout' | 'stderr'>

const EXAMPLES = `
Examples:
  commerce-emulator                                  the default scenario
  commerce-emulator --port 0 --scenario ./own.yaml   your own, on a free port
  commerce-emulator --set pagination.max_limit=5     any setting, by its key
  commerce-emulator validate ./own.yaml              check it, start nothing

Exit status: ${STATUS.done} when all is well, ${STATUS.failed} when something failed (a scenario, a check),
${STATUS.misused} when the command line or a setting is wrong, ${STATUS.gate} when a gate failed; exec and
record exit with the status of their command if it failed.

A flag takes precedence over its environment variable, and the variable over the
scenario. A variable with the prefix COMMERCE_EMULATOR_ takes precedence over
the one without it. GET /_control/settings of a running emulator lists every
setting and where its value came from.`

/** What the help shows first; the other commands are under More. */
const FIRST_COMMANDS = ['start', 'new', 'validate', 'check', 'exec', 'openapi']

/** What ends the options, or is one. */
const FLAG = /^-(-|[a-z]$)/i

/** The wait for another try to say that lines are missing. */
const RETRY_MS = 1000

/** The exit status, null when the process goes on serving. */
export async function run(
  args: readonly string[],
  environment: CommandLine['environment'],
  streams: Streams
): Promise<number | null> {
  const { stdout, stderr } = streams
  const unwritten = outliveFailures(streams)
  let status: number | null = STATUS.done
  const program = programOn({ stdout, stderr }, args)
  for (const [name, { about, argument, options = [], examples, run }] of Object.entries<Spec>(
    COMMANDS
  )) {
    const [first, below] = name.split(' ') as [string, string?]
    const above = below === undefined ? program : commandOf(program, first)
    const command = above
      .command(below ?? first, { isDefault: name === 'start' })
      .description(about)
      .addHelpText('after', examplesText(examples))
      .showHelpAfterError(whereToLook(name === 'start' ? '' : ` ${name}`))
    if (FIRST_COMMANDS.includes(name)) command.helpGroup('Commands:')
    if (argument) {
      const [name, about, choices] = argument
      command.addArgument(
        choices ? new Argument(name, about).choices(choices) : new Argument(name, about)
      )
    }
    for (const option of options) {
      // commander takes whatever follows for the value; this listener comes before its own
      command.on(`option:${option.name()}`, (value?: string) => {
        if (value !== undefined && FLAG.test(value) && args.includes(value))
          command.error(`error: ${SAYS.no_option_value(option.flags, value)}`)
      })
      command.addOption(option)
    }
    if (!run) continue
    // the options after a command to run are those of that command
    command
      .allowExcessArguments(name === 'start')
      .passThroughOptions(argument?.[0] === '<command...>')
    command.action(async () => {
      const operand = argument ? command.processedArgs[0] : command.args
      status = await run(operand as never, command.opts() as never, {
        program,
        environment,
        stdout,
        stderr
      })
    })
  }
  const { options } = commandOf(program, 'start')
  // the options of the default command come before its own
  program.configureHelp({
    visibleOptions: command => [...options, ...new Help().visibleOptions(command)]
  })
  await program.parseAsync([...args], { from: 'user' }).catch(error => {
    if (error instanceof CommanderError) {
      if (error.exitCode !== 0) status = STATUS.misused
      return
    }
    status = statusOf(error)
    const lines = failureLines(error)
    for (const line of [...lines, ...linesOnVariables(lines, environment).map(visible)])
      stderr.write(coloured(`${line}\n`, stderr))
  })
  await nextTurn()
  return status === STATUS.done && unwritten.has('stdout') ? STATUS.failed : status
}

/** Says what cannot be written, and returns what fails: not a reader that has read enough. */
function outliveFailures({ stdout, stderr }: Streams): ReadonlySet<string> {
  const failing = new Set<string>()
  for (const [name, stream] of Object.entries({ stdout, stderr }))
    stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE' || failing.has(name)) return
      failing.add(name)
      const say = () =>
        stderr.write(`commerce-emulator: ${SAYS.lines_missing(name, message)}\n`, error => {
          if (error) setTimeout(say, RETRY_MS).unref()
          else if (stream === stderr) failing.delete(name)
        })
      say()
    })
  return failing
}

const commandOf = (program: Command, name: string) =>
  program.commands.find(command => command.name() === name) as Command

function examplesText(examples: Spec['examples']): string {
  const lines = examples.map(([about, line]) => `  # ${about}\n  ${line}`)
  return `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.join('\n\n')}`
}

const whereToLook = (command: string) =>
  `(run commerce-emulator${command} --help for ${command === '' ? 'the commands and' : 'its'} flags)`

/** Why a command line is refused: `message`, or what to use in place of a retired name in it. */
function refusalOf(message: string, args: readonly string[]): string {
  const words = args.map(word => word.replace(/=.*/s, ''))
  const row = Object.entries(RETIRED_COMMANDS).find(([name]) =>
    name
      .split(' ')
      .every((word, place) => (word.startsWith('-') ? words.includes(word) : words[place] === word))
  )
  // an option with several values takes the command for more of them
  if (message.includes("argument 'command'")) return `${message.trim()}; ${SAYS.dashes_first()}\n`
  return row === undefined ? message : `error: ${SAYS.retired(...row)}\n`
}

const programOn = ({ stdout, stderr }: Streams, args: readonly string[]): Command =>
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
      outputError: (message, write) => write(refusalOf(message, args)),
      getOutHelpWidth: () => stdout.columns
    })
    .exitOverride()
    .showHelpAfterError(whereToLook(''))
