/** What is done most, one click away in every view. */
import { Button } from '../components/button.js'
import type { IconName } from '../components/icon.js'
import { instantInWords } from '../components/instant.js'
import { toastError } from '../components/toast.js'
import { yamlOf } from '../components/yaml.js'
import { api } from '../control/client.js'
import { act } from './command.js'
import { reset } from './undo.js'

const DECLINE = {
  name: 'decline the next payment',
  on: 'POST /transactions',
  calls: 1,
  respond: { status: 402, error: { type: 'card_error', code: 'card_declined', message: 'The card was declined.' } }
}
const LOSE = { name: 'lose the next response', on: '*', calls: 1, fault: 'connection_reset', when: 'after' }

/** A name for a snapshot that sorts by the time of this machine. */
const snapshotName = () => `at-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}`

async function takeSnapshot(): Promise<void> {
  const name = snapshotName()
  await act(api.takeSnapshot(name), `Saved as the snapshot ${name}`)
}

const ACTIONS: readonly [icon: IconName, text: string, about: string, run: () => unknown][] = [
  [
    'ban',
    'Decline next payment',
    'The next payment is refused with card_declined',
    () => act(api.addEntryYaml(yamlOf(DECLINE)), 'The next payment will be declined')
  ],
  [
    'lost',
    'Lose next response',
    'The next request takes effect, and its response is lost',
    () => act(api.addEntryYaml(yamlOf(LOSE)), 'The next request will take effect, and its response will be lost')
  ],
  ['clock', '1 h later', 'Moves the clock of the sandbox one hour forward', () => act(api.advanceClock('1h'), ({ now }) => `It is ${instantInWords(now)}`)],
  ['camera', 'Snapshot', 'Saves the state under a name', takeSnapshot],
  ['reset', 'Reset', 'Returns to the first state of the scenario; can be undone', reset]
]

export const QuickBar = () => (
  <div class="quick" role="group" aria-label="Quick actions">
    {ACTIONS.map(([icon, text, about, run]) => (
      <Button key={text} class="small quiet" icon={icon} text={text} label={text} title={about} run={() => Promise.resolve(run()).catch(toastError)} />
    ))}
  </div>
)
