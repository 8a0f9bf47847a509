import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import { CONTROL } from '../../core/paths.js'
import { visible } from '../../core/sentences.js'
import { settingsInForce } from '../../core/settings.js'
import { type CommandSpec, STATUS } from '../command.js'
import { launchOf, type SettingFlags, settingOptions } from '../launch.js'
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
    const url = `http://${reachableHost(host)}:${port}${CONTROL}/health`
    const say = (text: string) => stdout.write(`${text}\n`)
    return getFrom(url).then(
      ({ status, body }) => {
        say(SAYS.health(url, status, visible(body)))
        return status === 200 ? STATUS.done : STATUS.failed
      },
      error => {
        const isLate = error.code === 'ABORT_ERR'
        const why = isLate ? SAYS.no_response_within(TIMEOUT_MS / 1000) : reasonOf('reach', error)
        say(SAYS.unhealthy(url, why))
        return STATUS.failed
      }
    )
  }
}

/** Without `fetch`, which refuses some ports that an emulator may listen on. */
const getFrom = (url: string) =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    get(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }, response => {
      const { statusCode: status = 0 } = response
      text(response).then(body => resolve({ status, body }), reject)
    }).on('error', reject)
  })

/** `host` is what the emulator is bound to. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
