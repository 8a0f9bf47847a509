import { visible } from '../../core/sentences.js'
import { SETTINGS, settingsInForce } from '../../core/settings.js'
import { ASSUMPTIONS } from '../../reference/assumptions.js'
import { RULES } from '../../reference/rules.js'
import { Library } from '../../scenario/library.js'
import type { Launch } from '../../scenario/scenario.js'
import { type CommandSpec, STATUS } from '../command.js'
import { FOLDERS, launchOf, type SettingFlags } from '../launch.js'

type Line = readonly [name: string, text: string]

const listCommand = (
  name: string,
  about: string,
  linesOf: (launch: Launch) => Line[] | Promise<Line[]>
): CommandSpec => ({
  about,
  examples: [[`find the ${name} about refunds`, `commerce-emulator ${name} | grep -i refund`]],
  async run(flags: SettingFlags, { environment, stdout }) {
    const lines = await linesOf(await launchOf(flags, environment))
    const width = Math.max(...lines.map(([name]) => name.length))
    for (const [name, text] of lines)
      stdout.write(`${visible(`${name.padEnd(width)}  ${text}`).trimEnd()}\n`)
    return STATUS.done
  }
})

export const LISTS = {
  scenarios: {
    ...listCommand(
      'scenarios',
      'List the scenarios and fixtures that can be loaded by name.',
      async launch =>
        (await Library.from(settingsInForce(launch).values).list()).map(
          ({ name, title, description }) => [name, description ?? title ?? '']
        )
    ),
    options: FOLDERS
  },
  rules: listCommand('rules', 'List the rules of the service.', () =>
    Object.entries(RULES).map(([id, { text }]) => [id, text])
  ),
  assumptions: listCommand(
    'assumptions',
    'List what the emulator assumes where the reference is silent.',
    () =>
      Object.entries(ASSUMPTIONS).map(([id, { topic, default: text }]) => [id, `${topic}: ${text}`])
  ),
  settings: listCommand('settings', 'List the settings, each with its default.', () =>
    Object.entries(SETTINGS).map(([key, { default: fallback, about }]) => [
      key,
      `${about} (default: ${JSON.stringify(fallback)})`
    ])
  )
}
