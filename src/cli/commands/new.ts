import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { visible } from '../../core/sentences.js'
import { PACKAGE_ROOT } from '../../scenario/library.js'
import { type CommandSpec, option, STATUS } from '../command.js'
import { Failure } from '../failures.js'
import { reasonOf, SAYS, shellWord } from '../sentences.js'

export const NEW: CommandSpec = {
  about: 'Write a commented scenario to start from.',
  argument: ['<name>', 'Name of the file, or its path; .yaml is added.'],
  options: [option('--force', 'Overwrite an existing file.')],
  examples: [['a scenario to start from, in own.yaml', 'commerce-emulator new own']],
  async run({ force = false }: { force?: boolean }, { stdout }, name: string) {
    for (const line of await newScenario(name, { force })) stdout.write(`${visible(line)}\n`)
    return STATUS.done
  }
}

const SCHEMA = join(PACKAGE_ROOT, 'docs', 'schema', 'scenario.json')
const ENDING = /\.ya?ml$/i

/** Errors: a `Failure` that says why nothing was written. */
export async function newScenario(name: string, { force }: { force: boolean }): Promise<string[]> {
  const file = ENDING.test(name) ? name : `${name}.yaml`
  const title = basename(file).replace(ENDING, '')
  if (title.trim() === '' || /[\\/]$|\p{Cc}/u.test(name)) throw new Failure(SAYS.file_name(name))
  const path = isAbsolute(file) || /^\.{1,2}[\\/]/.test(file) ? file : `.${sep}${file}`
  const commands = commandsFor(shellWord(path, sep))
  const schema = relative(dirname(resolve(file)), SCHEMA).replaceAll(sep, '/')
  await writeFile(file, scenarioText(title, commands, schema), {
    flag: force ? 'w' : 'wx'
  }).catch(error => {
    throw new Failure(SAYS.not_written(file, reasonOf('write', error)))
  })
  return [SAYS.written(file), ...commands]
}

const commandsFor = (file: string): string[] => [
  `  commerce-emulator validate ${file}     checks it`,
  `  commerce-emulator check ${file}        plays its requests, and checks what it expects`,
  `  commerce-emulator --scenario ${file}   starts the emulator with it`
]

const MODEL = join(PACKAGE_ROOT, 'scenarios', 'declined-then-approved.yaml')

/** A shipped scenario, under another name. */
const scenarioText = (name: string, commands: readonly string[], schema: string): string =>
  `# yaml-language-server: $schema=${schema}
# A scenario of commerce-emulator. With the schema above, a YAML editor completes names and marks mistakes.
${commands.map(line => `# ${line}`).join('\n')}
name: ${JSON.stringify(name)}${readFileSync(MODEL, 'utf8').replace(/^.*?\nname: [^\n]*/s, '')}`
