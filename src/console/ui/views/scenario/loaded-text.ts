/** The loaded scenario as a document, wherever it was loaded from. */
import { yamlOf } from '../../components/yaml.js'
import { control, controlText } from '../../control/client.js'
import { presentLoad } from './command.js'

/**
 * As it is written in the library; one from elsewhere is put together again, with the records as
 * they are now. Errors: `ControlError`.
 */
export async function loadedText(): Promise<string> {
  const { yaml, body } = (await presentLoad()) ?? {}
  if (yaml !== undefined) return yaml
  const { scenario: listed } = { ...(body as { scenario: string } | undefined) }
  if (listed !== undefined) return controlText('GET /scenarios/NAME', { name: listed })
  const [{ scenario, seed }, { clock }, { settings }, { data: script }, verdict, data] =
    await Promise.all([
      control('GET /'),
      control('GET /changes'),
      control('GET /settings'),
      control('GET /script'),
      control('POST /verify', { query: { report: '1' } }),
      control('GET /state')
    ])
  const own = Object.entries(settings).filter(([, { source }]) => source === 'scenario')
  const { now, running } = clock.began
  const document = {
    name: scenario.name,
    description: scenario.description ?? undefined,
    seed,
    clock: now === null ? undefined : { now, running },
    settings: Object.fromEntries(own.map(([key, { value }]) => [key, value])),
    data,
    script: script.map(({ entry }) => entry),
    expect: verdict.expectations?.map(({ expectation }) => expectation)
  }
  const filled = Object.entries(document).filter(
    ([, part]) => typeof part !== 'object' || Object.keys(part).length > 0
  )
  return yamlOf(Object.fromEntries(filled))
}
