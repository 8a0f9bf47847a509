import { settingsInForce } from '../../core/settings.js'
import { jsonText } from '../../reports/formats.js'
import { VERSION } from '../../scenario/library.js'
import { type CommandSpec, STATUS } from '../command.js'
import { launchOf, type SettingFlags, settingOptions } from '../launch.js'

export const OPENAPI: CommandSpec = {
  about: 'Print the emulated API as OpenAPI 3.1, with these settings.',
  options: settingOptions(['port'], {}, { port: "Port in the address of the document's server." }),
  examples: [['for client generators', 'commerce-emulator openapi > openapi.json']],
  async run(flags: SettingFlags, { environment, stdout }) {
    const { openApiDocument } = await import('../../control/openapi/api.js')
    const { values: settings } = settingsInForce(await launchOf(flags, environment))
    stdout.write(jsonText(openApiDocument({ settings, version: VERSION })))
    return STATUS.done
  }
}
