/** docs/reference/cli.md: the commands, from the table that the command line reads. */
import { Help, type Option } from 'commander'
import { COMMANDS } from '../../src/cli/commands.js'
import { code, page, table } from './markdown.js'

const INTRODUCTION = `\`npx commerce-emulator\`, or \`commerce-emulator\` where the package is installed; in the image it is \`node dist/main.js\`. Without a command it starts the emulator. \`--help\` prints the options of a command, \`--version\` the version.

A flag takes precedence over its environment variable, and the variable over the scenario: [settings](settings.md).`

const SHARED = `Several commands take these, with the same meaning. \`--set\` takes any setting of [the table](settings.md).`

const STATUSES = `## Exit statuses

| status | means |
|---|---|
| 0 | success |
| 1 | a document was refused, an expectation does not hold, or the emulator cannot start |
| 2 | the command line or a setting is wrong |
| 3 | a criterion of CI failed, and nothing else |

\`exec\` and \`record\` exit with the status of their command if it failed: [the statuses of exec](../ci.md#status).`

const commands = Object.entries(COMMANDS)
const descriptionOf = (option: Option) => new Help().optionDescription(option)
/** Text whose patterns of files are code, so that no asterisk is read as Markdown. */
const plain = (text: string) => text.replaceAll(/'?([^\s',]*\*[^\s',]*\w)'?/g, '`$1`')
const rowOf = (option: Option) => [code(option.flags), plain(descriptionOf(option))]
const keyOf = (option: Option) => rowOf(option).join(' ')
const nameOf = ({ long, flags }: Option) => code(long ?? flags)

function sharedOptions(): ReadonlyMap<string, Option> {
  const all = commands.flatMap(([, { options = [] }]) => options)
  const isShared = (option: Option) =>
    all.filter(other => keyOf(other) === keyOf(option)).length > 1
  return new Map(all.filter(isShared).map(option => [keyOf(option), option]))
}

function section(
  [name, { about, argument, options = [], examples }]: (typeof commands)[number],
  shared: ReadonlyMap<string, Option>
): string {
  const own = options.filter(option => !shared.has(keyOf(option)))
  const others = options.filter(option => shared.has(keyOf(option)))
  const rows = [...(argument ? [[code(argument[0]), plain(argument[1])]] : []), ...own.map(rowOf)]
  return [
    `## ${name}`,
    about,
    ...(rows.length > 0 ? [table(['takes', 'about'], rows)] : []),
    ...(others.length > 0 ? [`Also ${others.map(nameOf).join(', ')}.`] : []),
    `\`\`\`text\n${examples.map(([note, line]) => `# ${note}\n${line}`).join('\n\n')}\n\`\`\``
  ].join('\n\n')
}

/** The page. */
export function cliPage(): string {
  const shared = sharedOptions()
  return page(
    'Command line',
    INTRODUCTION,
    ...commands.map(command => section(command, shared)),
    '## Shared options',
    SHARED,
    table(['option', 'about'], [...shared.values()].map(rowOf)),
    STATUSES
  )
}
