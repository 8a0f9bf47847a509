import { SETTING_KEYS } from '../../core/settings.js'
import { type CommandSpec, option, STATUS } from '../command.js'
import {
  A_FREE_PORT,
  launchOf,
  refuseForeignHost,
  type SettingFlags,
  settingOptions,
  VAR
} from '../launch.js'
import { type AddressFlags, addressOf, TOKEN } from '../running.js'

export const MCP: CommandSpec = {
  about:
    'Serve a coding agent over the Model Context Protocol on stdin and stdout, with its own emulator or a running emulator.',
  options: [
    option('--url <url>', 'Address of a running emulator to use instead of its own.'),
    TOKEN,
    VAR,
    // it logs nothing
    ...settingOptions(
      SETTING_KEYS.filter(key => key !== 'log_level'),
      { port: A_FREE_PORT }
    )
  ],
  examples: [['for an agent that starts it', 'commerce-emulator mcp --scenario ./own.yaml']],
  async run({ url, token, ...flags }: SettingFlags & AddressFlags, { environment }) {
    const { mcp } = await import('../mcp/server.js')
    const launch = await launchOf(flags, environment)
    if (url === undefined) {
      refuseForeignHost(launch.flag, environment)
      const vars = launch.vars?.values
      await mcp({
        settings: { ...launch.environment, port: 0, ...launch.flag },
        ...(vars && { vars })
      })
    } else await mcp(await addressOf({ url, token }, environment))
    return STATUS.done
  }
}
