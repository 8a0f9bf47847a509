/** Snapshots: named states to come back to. */
import { NameForm } from '../../app/name-form.js'
import { undoably } from '../../app/undo.js'
import { Button } from '../../components/button.js'
import { ask } from '../../components/dialog.js'
import { Card } from '../../components/layout.js'
import { Read } from '../../components/states.js'
import { api } from '../../control/client.js'
import { remove } from './command.js'

const HEADING = 'scenario-snapshots'

export const Snapshots = () => (
  <Card id={HEADING} title="Snapshots" isFocusable>
    <p class="hint">A snapshot holds records, keys, ids, seed, clock and script counts. It outlives resets and loads.</p>
    <Read from={api.snapshots}>
      {({ data }) =>
        data.length === 0 ? (
          <p class="faint">There are no snapshots yet. Save one before you try something.</p>
        ) : (
          <ul class="entries snapshots">
            {data.map(({ name }) => (
              <Snapshot key={name} name={name} />
            ))}
          </ul>
        )
      }
    </Read>
    <NameForm
      label="Name of the snapshot"
      example="lunch"
      hint="One of the same name is replaced."
      make={api.takeSnapshot}
      done={name => `The snapshot ${name} is saved`}
    >
      <Button text="Save a snapshot" />
    </NameForm>
  </Card>
)

function Snapshot({ name }: { name: string }) {
  const restore = () => undoably('restore', () => api.restoreSnapshot(name), `The snapshot ${name} is restored`)
  const drop = () =>
    ask({
      title: `Delete ${name}?`,
      text: 'The state in it cannot be brought back.',
      action: 'Delete the snapshot',
      run: () => remove(api.deleteSnapshot(name), `The snapshot ${name} is deleted`, HEADING)
    })
  return (
    <li class="row entry">
      <span class="grow">{name}</span>
      <div class="row">
        <Button class="small" text="Restore" label={`Restore ${name}`} run={restore} />
        <Button class="small danger" text="Delete" label={`Delete ${name}`} run={drop} />
      </div>
    </li>
  )
}
