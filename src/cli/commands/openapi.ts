import { settingsInForce } from '../../core/settings.js'
import { jsonText } from '../../reports/formats.js'
import { VERSION } from '../../scenario/library.js'
import { type CommandSpec, option, STATUS } from '../command.js'
import { launchOf, type SettingFlags, settingOptions } from '../launch.js'

export const OPENAPI: CommandSpec = {
  about: 'Print the emulated API as OpenAPI 3.1, with these settings.',
  options: [
    option('--format <format>', 'Format of the document.')
      .choices(['json', 'yaml'])
      .default('json'),
    ...settingOptions(['port'], {}, { port: "Port in the address of the document's server." })
  ],
  examples: [['for client generators', 'commerce-emulator openapi > openapi.json']],
  async run({ format, ...flags }: SettingFlags & { format: string }, { environment, stdout }) {
    const [{ openApiDocument }, { yamlText }] = await Promise.all([
      import('../../control/openapi/api.js'),
      import('../../scenario/yaml.js')
    ])
    const { values: settings } = settingsInForce(await launchOf(flags, environment))
    const document = openApiDocument({ settings, version: VERSION })
    stdout.write(format === 'yaml' ? yamlText(document) : jsonText(document))
    return STATUS.done
  }
}
