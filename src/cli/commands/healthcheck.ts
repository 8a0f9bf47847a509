import { CONTROL } from '../../core/paths.js'
import { settingsInForce } from '../../core/settings.js'
import { visible } from '../../core/visible.js'
import { type CommandSpec, STATUS } from '../command.js'
import { launchOf, type SettingFlags, settingOptions } from '../launch.js'
import { getFrom } from '../running.js'
import { reasonOf, SAYS } from '../sentences.js'

const TIMEOUT_MS = 3000

export const HEALTHCHECK: CommandSpec = {
  about: 'Ask a running emulator whether it is ready; exit 0 if it is.',
  options: settingOptions(
    ['port', 'host'],
    {},
    { port: "The emulator's port.", host: 'The address that it listens on.' }
  ),
  examples: [
    [
      'wait until an emulator is ready',
      'until commerce-emulator healthcheck --port 4010; do sleep 0.1; done'
    ]
  ],
  async run(flags: SettingFlags, { environment, stdout }) {
    const { host, port } = settingsInForce(await launchOf(flags, environment)).values
    const origin = `http://${reachableHost(host)}:${port}`
    const path = `${CONTROL}/health`
    const say = (text: string) => stdout.write(`${text}\n`)
    return getFrom(origin, path, TIMEOUT_MS).then(
      ({ status, text }) => {
        say(SAYS.health(`${origin}${path}`, status, visible(text)))
        return status === 200 ? STATUS.done : STATUS.failed
      },
      error => {
        const isLate = error.code === 'ABORT_ERR'
        const why = isLate ? SAYS.no_response_within(TIMEOUT_MS / 1000) : reasonOf('reach', error)
        say(SAYS.unhealthy(`${origin}${path}`, why))
        return STATUS.failed
      }
    )
  }
}

/** `host` is what the emulator is bound to. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
