/** docs/reference/cli.md: the commands, in the words of their help. */
import { PassThrough } from 'node:stream'
import { run, type Streams } from '../../src/cli/program.js'
import { code, page } from './markdown.js'

const INTRODUCTION = `\`npx commerce-emulator\`, or \`commerce-emulator\` where the package is installed; in the image it is \`node dist/main.js\`. Without a command it starts the emulator.

Each command prints the text below with \`--help\`. The settings behind the flags: [settings](settings.md).`

const STATUSES = `## Exit statuses

0 is success and 1 is failure: a document that is refused, an expectation that does not hold, an emulator that cannot start. 2 means that the command line or a setting is wrong, 3 that a gate failed and nothing else. \`exec\` and \`record\` pass on the status of their command: [the statuses of exec](../ci.md#status).`

/** The help of a command, as a terminal of 80 columns shows it. */
async function helpOf(words: readonly string[]): Promise<string> {
  const stdout = Object.assign(new PassThrough({ encoding: 'utf8' }), {
    columns: 80
  }) as unknown as NodeJS.WriteStream
  await run([...words, '--help'], {}, {
    stdout,
    stderr: stdout
  } satisfies Streams)
  return String(stdout.read()).trimEnd()
}

/** The commands that a help lists. */
const commandsIn = (help: string): readonly string[] =>
  [
    ...(/\nCommands:\n([\s\S]*?)(\n\n|$)/.exec(help)?.[1] ?? '').matchAll(/^ {2}([a-z]+)/gm)
  ].flatMap(([, name]) => (name === 'help' ? [] : [name as string]))

/** A command and those below it, each with its help. */
async function commandsBelow(
  words: readonly string[]
): Promise<{ words: readonly string[]; help: string }[]> {
  const help = await helpOf(words)
  const below = await Promise.all(commandsIn(help).map(name => commandsBelow([...words, name])))
  return [{ words, help }, ...below.flat()]
}

/** The page. */
export async function cliPage(): Promise<string> {
  const commands = await commandsBelow([])
  const sections = commands.map(({ words, help }) =>
    [
      words.length === 0 ? '## commerce-emulator' : `## ${words.join(' ')}`,
      `\`\`\`text\n${help}\n\`\`\``
    ].join('\n\n')
  )
  return page(
    'Command line',
    INTRODUCTION,
    `Commands: ${commands
      .slice(1)
      .map(({ words }) => `[${code(words.join(' '))}](#${words.join('-')})`)
      .join(', ')}.`,
    ...sections,
    STATUSES
  )
}
