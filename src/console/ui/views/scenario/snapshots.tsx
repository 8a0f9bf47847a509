/** Snapshots: named states to come back to. */
import { act, undoable } from '../../app/command.js'
import { NameForm } from '../../app/name-form.js'
import { Button } from '../../components/button.js'
import { ask } from '../../components/dialog.js'
import { Card, Items } from '../../components/layout.js'
import { Read } from '../../components/states.js'
import { control, type SnapshotName } from '../../control/client.js'
import { remove } from './command.js'

export const Snapshots = () => (
  <Card id="scenario-snapshots" title="Snapshots" isFocusable>
    <p class="hint">
      A snapshot holds records, keys, ids, seed, clock and script counts, and survives resets and
      loads.
    </p>
    <Read from={() => control('GET /snapshots')}>
      {({ data }) => (
        <>
          <NameForm
            label="Name of the snapshot"
            example="lunch"
            make={name => save(name, data)}
            done={name => `The snapshot ${name} is saved`}
          >
            <Button text="Save" />
          </NameForm>
          <Items
            class="scroll"
            of={data}
            none="No snapshots yet. Save one before you try something."
            keyOf={({ name }) => name}
            shown={({ name }) => name}
            actions={({ name }) => (
              <>
                <Button
                  class="small"
                  text="Restore"
                  label={`Restore ${name}`}
                  run={() => restore(name)}
                />
                <Button
                  class="small danger"
                  text="Delete"
                  label={`Delete ${name}`}
                  run={() => drop(name)}
                />
              </>
            )}
          />
        </>
      )}
    </Read>
  </Card>
)

async function save(name: string, saved: readonly SnapshotName[]): Promise<unknown> {
  const put = () => control('PUT /snapshots/NAME', { name })
  if (!saved.some(snapshot => snapshot.name === name)) return put()
  const question = {
    title: `Replace ${name}?`,
    text: 'There is a snapshot of this name.',
    action: 'Replace the snapshot'
  }
  return new Promise(done => ask({ ...question, run: () => done(put()) }))
}

function restore(name: string) {
  // a snapshot must not be replaced before it is restored
  const { first, undo } = undoable(name === 'before-restore' ? 'restore-again' : 'restore')
  return act(
    first().then(() => control('POST /snapshots/NAME/restore', { name })),
    `The snapshot ${name} is restored`,
    undo
  )
}

const drop = (name: string) =>
  ask({
    title: `Delete ${name}?`,
    text: 'The state in it will be lost.',
    action: 'Delete the snapshot',
    run: () =>
      remove(
        control('DELETE /snapshots/NAME', { name }),
        `The snapshot ${name} is deleted`,
        'scenario-snapshots'
      )
  })
