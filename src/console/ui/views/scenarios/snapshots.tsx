/** Snapshots: named states to come back to. */

import { act, undoable } from '../../app/command.js'
import { NameForm } from '../../app/name-form.js'
import { Button } from '../../components/button.js'
import { ask } from '../../components/dialog.js'
import { Card, Items } from '../../components/layout.js'
import { Read } from '../../components/states.js'
import { control } from '../../control/client.js'
import { remove } from './command.js'

const HEADING = 'scenario-snapshots'

export const Snapshots = () => (
  <Card id={HEADING} title="Snapshots" isFocusable>
    <p class="hint">A snapshot holds records, keys, ids, seed, clock and script counts. It survives resets and loads.</p>
    <Read from={() => control('GET /snapshots')}>
      {({ data }) => {
        const names = data.map(({ name }) => name)
        return (
          <>
            <NameForm label="Name of the snapshot" example="lunch" make={save(names)} done={name => `The snapshot ${name} is saved`}>
              <Button text="Save a snapshot" />
            </NameForm>
            <Items
              class="snapshots"
              of={names}
              none="There are no snapshots yet. Save one before you try something."
              keyOf={name => name}
              shown={name => name}
              actions={name => <Actions name={name} />}
            />
          </>
        )
      }}
    </Read>
  </Card>
)

/** Asks before it replaces one. */
const save = (names: readonly string[]) => async (name: string) => {
  const put = () => control('PUT /snapshots/NAME', { name })
  if (!names.includes(name)) return put()
  const question = { title: `Replace ${name}?`, text: 'There is a snapshot of this name.', action: 'Replace the snapshot' }
  return new Promise<unknown>(done => ask({ ...question, run: () => done(put()) }))
}

function Actions({ name }: { name: string }) {
  // a snapshot must not be replaced before it is restored
  const { first, undo } = undoable(name === 'before-restore' ? 'restore-again' : 'restore')
  const restore = () =>
    act(
      first().then(() => control('POST /snapshots/NAME/restore', { name })),
      `The snapshot ${name} is restored`,
      undo
    )
  const drop = () =>
    ask({
      title: `Delete ${name}?`,
      text: 'The state in it will be lost.',
      action: 'Delete the snapshot',
      run: () => remove(control('DELETE /snapshots/NAME', { name }), `The snapshot ${name} is deleted`, HEADING)
    })
  return (
    <>
      <Button class="small" text="Restore" label={`Restore ${name}`} run={restore} />
      <Button class="small danger" text="Delete" label={`Delete ${name}`} run={drop} />
    </>
  )
}
