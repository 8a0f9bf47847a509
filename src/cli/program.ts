/** Reads the command line by the table of commands, and runs what it names. */
import { Command, CommanderError, Help } from 'commander'
import { visible } from '../core/visible.js'
import { VERSION } from '../version.js'
import { COMMANDS, type CommandLine, type Spec } from './commands.js'
import { failureLines } from './failures.js'
import { linesOnVariables } from './launch.js'
import { SAYS } from './sentences.js'

export type Streams = Pick<CommandLine, 'stdout' | 'stderr'>

const SPECS = Object.entries<Spec>(COMMANDS)

const EXAMPLES = `
Examples:
  commerce-emulator                                  the default scenario
  commerce-emulator --port 0 --scenario ./own.yaml   your own, on a free port
  commerce-emulator --set pagination.max_limit=5     any setting, by its key
  commerce-emulator validate ./own.yaml              check it, start nothing

Exit status: 0 when all is well, 1 when something failed, 2 when only a gate
failed; exec and record exit with the status of their command if it failed.

A flag takes precedence over its environment variable, and the variable over the
scenario. A variable with the prefix COMMERCE_EMULATOR_ takes precedence over
the one without it. GET /_control/settings of a running emulator lists every
setting and where its value came from.`

/** Returns the exit status, or null when the process goes on serving. Errors are reported on stderr. */
export async function run(args: readonly string[], environment: CommandLine['environment'], { stdout, stderr }: Streams): Promise<number | null> {
  for (const stream of [stdout, stderr]) stream.on('error', ignoreClosed)
  let status: number | null = 0
  const program = programOn({ stdout, stderr })
  for (const [name, spec] of SPECS) {
    const { about, argument, options = [], run } = spec
    const [first, below] = name.split(' ') as [string, string?]
    const above = below === undefined ? program : commandOf(program, first)
    const command = above
      .command(below ?? first, { isDefault: name === 'start' })
      .description(about)
      .addHelpText('after', examplesText(spec))
    if (argument) command.argument(...argument)
    for (const option of options) command.addOption(option)
    if (!run) continue
    command.usage(usageOf(spec)).allowExcessArguments(name === 'start')
    command.action(async () => {
      const operand = argument ? command.processedArgs[0] : command.args
      status = await run(operand as never, command.opts() as never, { program, args, environment, stdout, stderr })
    })
  }
  program.configureHelp({ formatHelp: (_program, { helpWidth }) => overview(program, helpWidth as number) })

  const missing = missingCommand(args)
  if (missing !== null) {
    stderr.write(`commerce-emulator: ${missing}\n`)
    return 1
  }
  try {
    await program.parseAsync([...args], { from: 'user' })
    return status
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode
    const lines = failureLines(error as Error)
    for (const line of [...lines, ...linesOnVariables(lines, environment).map(visible)]) stderr.write(`${line}\n`)
    return 1
  }
}

/** A reader that has read enough, such as `head`, is not a failure. */
function ignoreClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

const usageOf = ({ usage, argument }: Spec): string => usage ?? (argument ? `[options] ${argument[0]}` : '[options]')

function examplesText({ examples }: Spec): string {
  const lines = examples.map(([about, line]) => `  # ${about}\n  ${line}`)
  return `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.join('\n\n')}`
}

function programOn({ stdout, stderr }: Streams): Command {
  const usages = SPECS.filter(([, { run }]) => run).map(([name, spec]) => `${name === 'start' ? '[start]' : `commerce-emulator ${name}`} ${usageOf(spec)}`)
  return new Command('commerce-emulator')
    .description('A local emulator of the Commerce Service API.')
    .usage(usages.join('\n       '))
    .version(VERSION, '-V, --version', 'Print the version.')
    .helpOption('-h, --help', 'Print this help.')
    .helpCommand('help [command]', 'Print the help of a command.')
    .addHelpText('after', EXAMPLES)
    .configureOutput({
      writeOut: text => stdout.write(text),
      writeErr: text => stderr.write(text),
      getOutHelpWidth: () => stdout.columns
    })
    .exitOverride()
    .showHelpAfterError('(run commerce-emulator --help for the commands and flags)')
}

const commandOf = (program: Command, name: string) => program.commands.find(command => command.name() === name) as Command

/** The help of the program has the options of the default command before its own. */
function overview(program: Command, helpWidth: number): string {
  const help = new Help()
  const own = help.visibleOptions(program)
  help.visibleOptions = () => [...commandOf(program, 'start').options, ...own]
  help.prepareContext({ helpWidth })
  return help.formatHelp(program, help)
}

/** Why a command line of exec or record runs nothing; null where it names a command or asks for help. */
function missingCommand([name, first, ...rest]: readonly string[]): string | null {
  const usage = SPECS.find(([known]) => known === name)?.[1].usage
  if (usage === undefined || first === '-h' || first === '--help') return null
  const all = [first, ...rest]
  const end = all.indexOf('--')
  if (end < 0)
    return SAYS.no_separator(
      name as string,
      usage.replace(/<(\w+)(\.\.\.)?>/g, (_, word) => word.toUpperCase())
    )
  if (end === all.length - 1) return SAYS.no_command(name as string)
  const version = all.slice(0, end).find(word => word === '-V' || word === '--version')
  return version === undefined ? null : SAYS.unknown_option(version, name as string)
}
