import { type CommandSpec, PLACES } from '../command.js'
import { concludeCheck } from '../judging.js'
import { FOLDERS, launchOf, type SettingFlags, VAR } from '../launch.js'

export const VALIDATE: CommandSpec = {
  about: 'Check scenario and fixture files; exit 0 if all are valid.',
  argument: ['<file...>', `Scenario or fixture files, ${PLACES}`],
  options: [VAR, ...FOLDERS],
  examples: [
    ['every problem of a document, with its line', 'commerce-emulator validate ./own.yaml']
  ],
  async run(flags: SettingFlags, line, places: string[]) {
    const { validate } = await import('../check/validate.js')
    return concludeCheck(await validate(places, await launchOf(flags, line.environment)), line)
  }
}
