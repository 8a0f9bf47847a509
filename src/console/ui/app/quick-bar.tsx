/** What is done most, one click away in every view. */
import { Button } from '../components/button.js'
import type { IconName } from '../components/icon.js'
import { instantInWords } from '../components/instant.js'
import { control } from '../control/client.js'
import { act, reset } from './command.js'
import { overview } from './store.js'

const DECLINE = {
  name: 'decline the next payment',
  on: 'POST /transactions',
  calls: 1,
  respond: {
    status: 402,
    error: { type: 'card_error', code: 'card_declined', message: 'The card was declined.' }
  }
}
const LOSE = {
  name: 'lose the next response',
  on: '*',
  calls: 1,
  fault: 'connection_reset',
  when: 'after'
}

/** The name sorts by the time of this machine. */
function takeSnapshot() {
  const name = `at-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}`
  return act(control('PUT /snapshots/NAME', { name }), `Saved as the snapshot ${name}`)
}
const decline = () =>
  act(control('POST /script', { body: DECLINE }), 'The next payment will be declined')
const lose = () =>
  act(
    control('POST /script', { body: LOSE }),
    'The next request will take effect, and its response will be lost'
  )
function advance() {
  const before = overview.value?.clock
  const undo =
    before &&
    (() =>
      control('PUT /clock', { body: before }).then(
        ({ now }) => `Undone: it is ${instantInWords(now)}`
      ))
  return act(
    control('POST /clock/advance', { body: { by: '1h' } }),
    ({ now }) => `It is ${instantInWords(now)}`,
    undo
  )
}

const ACTIONS: readonly [
  icon: IconName,
  text: string,
  about: string,
  run: () => Promise<unknown>
][] = [
  ['ban', 'Decline next payment', 'The next payment is refused with card_declined', decline],
  ['lost', 'Lose next response', 'The next request takes effect, and its response is lost', lose],
  ['clock', '1 h later', 'Moves the clock of the sandbox one hour forward', advance],
  ['camera', 'Snapshot', 'Saves the state under a name', takeSnapshot],
  ['reset', 'Reset', 'Returns to the first state of the scenario; can be undone', reset]
]

export const QuickBar = () => (
  <div class="quick" role="group" aria-label="Quick actions">
    {ACTIONS.map(([icon, text, about, run]) => (
      <Button
        key={text}
        class="small quiet"
        icon={icon}
        text={text}
        label={text}
        title={about}
        run={run}
      />
    ))}
  </div>
)
