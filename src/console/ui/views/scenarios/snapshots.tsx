/** Snapshots: named states to come back to. */
import { NameForm } from '../../app/name-form.js'
import { undoably } from '../../app/undo.js'
import { Button } from '../../components/button.js'
import { ask } from '../../components/dialog.js'
import { Card, Items } from '../../components/layout.js'
import { Read } from '../../components/states.js'
import { api } from '../../control/client.js'
import { remove } from './command.js'

const HEADING = 'scenario-snapshots'

export const Snapshots = () => (
  <Card id={HEADING} title="Snapshots" isFocusable>
    <p class="hint">A snapshot holds records, keys, ids, seed, clock and script counts. It survives resets and loads.</p>
    <Read from={api.snapshots}>
      {({ data }) => (
        <Items
          class="snapshots"
          of={data.map(({ name }) => name)}
          none="There are no snapshots yet. Save one before you try something."
          keyOf={name => name}
          shown={name => name}
          actions={name => <Actions name={name} />}
        />
      )}
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

function Actions({ name }: { name: string }) {
  const restore = () => undoably('restore', () => api.restoreSnapshot(name), `The snapshot ${name} is restored`)
  const drop = () =>
    ask({
      title: `Delete ${name}?`,
      text: 'The state in it will be lost.',
      action: 'Delete the snapshot',
      run: () => remove(api.deleteSnapshot(name), `The snapshot ${name} is deleted`, HEADING)
    })
  return (
    <>
      <Button class="small" text="Restore" label={`Restore ${name}`} run={restore} />
      <Button class="small danger" text="Delete" label={`Delete ${name}`} run={drop} />
    </>
  )
}
