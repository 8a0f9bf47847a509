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

const scenarioText = (name: string, commands: readonly string[], schema: string): string =>
  `# yaml-language-server: $schema=${schema}
# A scenario of commerce-emulator. With the schema above, a YAML editor completes names and marks mistakes.
${commands.map(line => `# ${line}`).join('\n')}
name: ${JSON.stringify(name)}
description: The first card payment is declined, the second goes through and is refunded in part.

# Records: those of a fixture, and your own. The fixture bistro is shipped; it has loc_bistro and the API key sk_test_merchant.
fixtures: [bistro]
data:
  tickets:
    - { id: tkt_example, location: loc_bistro, reference: EXAMPLE-1 }

# The clock is frozen at this instant, so that every run is the same. Without it, it is the machine's.
clock: 2026-04-01T12:00:00Z

# What the emulator does differently. If several entries match a request, the first is applied.
# In place of respond: delay: 2s, or fault: connection_reset, with when: after to lose the response once the request has taken effect.
script:
  - name: the first card payment is declined
    on: POST /transactions
    match: { body: { ticket: tkt_example, payment_type: card } }
    calls: 1
    respond: { status: 402, error: { type: card_error, code: card_declined, message: The card was declined. } }

# Requests that are sent when the scenario is loaded, to prepare records. The script does not act on them.
# steps:
#   - { as: cash, do: POST /transactions, body: { ticket: tkt_example, payment_type: external, amount: 500 } }

# Requests that \`check\` sends as your client would. Later ones can refer to the response of an earlier one, as in \${payment.id}.
play:
  - do: POST /transactions
    body: { ticket: tkt_example, payment_type: card, amount: 2000, card: { last4: "4242" } }
    expect: { status: 402 }
  - as: payment
    do: POST /transactions
    body: { ticket: tkt_example, payment_type: card, amount: 2000, card: { last4: "4242" } }
  - do: POST /refunds
    body: { transaction: "\${payment.id}", amount: 500, reason: the soup was cold }
    expect: { body: { amount: 500 } }

# What must be true at the end. \`check\` checks it, and POST /_control/verify does on a running emulator.
expect:
  - { on: POST /transactions, took_effect: true, times: 1 }
  - { on: POST /refunds, took_effect: true, times: 1 }
  - state: { refunds: { count: 1, where: { reason: the soup was cold } } }
`
