import { settingsInForce } from '../../core/settings.js'
import { jsonText } from '../../reports/formats.js'
import { VERSION } from '../../scenario/library.js'
import { type CommandSpec, option, STATUS } from '../command.js'
import { launchOf, type SettingFlags, settingOptions } from '../launch.js'

export const OPENAPI: CommandSpec = {
  about: 'Print the emulated API as OpenAPI 3.1, with these settings.',
  options: [
    option(
      '--style <style>',
      'How nested parameters are described: as objects, or flat, with names in brackets.'
    )
      .choices(['nested', 'flat'])
      .default('nested'),
    ...settingOptions(['port'], {}, { port: "Port in the address of the document's server." })
  ],
  examples: [
    ['for most client generators', 'commerce-emulator openapi --style flat > openapi.json']
  ],
  async run({ style, ...flags }: SettingFlags & { style: string }, { environment, stdout }) {
    const { openApiDocument } = await import('../../control/openapi/api.js')
    const { values: settings } = settingsInForce(await launchOf(flags, environment))
    stdout.write(
      jsonText(openApiDocument({ settings, version: VERSION, isFlat: style === 'flat' }))
    )
    return STATUS.done
  }
}
