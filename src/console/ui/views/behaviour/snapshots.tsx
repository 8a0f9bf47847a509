/** Snapshots: named states to come back to. */
import { act } from '../../app/command.js'
import { useDraft } from '../../app/draft.js'
import { Button, Form } from '../../components/button.js'
import { Card } from '../../components/card.js'
import { TextField } from '../../components/fields.js'
import { Read } from '../../components/read.js'
import { api, ControlError } from '../../control/client.js'
import { remove } from './command.js'

const HEADING = 'behaviour-snapshots'
const NAMELESS = new ControlError('name_missing', 'Must be a name, such as lunch.', 0)

export function Snapshots() {
  const name = useDraft()
  const take = async () => {
    const taken = name.text.value.trim()
    if (taken === '') name.refused.value = NAMELESS
    else if (await name.send(api.takeSnapshot(taken), `The snapshot ${taken} is saved`)) name.write('')
  }
  return (
    <Card id={HEADING} title="Snapshots" isFocusable>
      <p class="hint">A snapshot holds records, keys, ids, seed, clock and script counts. It outlives resets and loads.</p>
      <Read from={api.snapshots}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="faint">There is none yet.</p>
          ) : (
            <ul class="entries">
              {data.map(({ name }) => (
                <Snapshot key={name} name={name} />
              ))}
            </ul>
          )
        }
      </Read>
      <Form class="row aligned" send={take}>
        <TextField label="Name of the snapshot" hint="One of the same name is replaced." {...name.field} />
        <Button text="Save a snapshot" />
      </Form>
    </Card>
  )
}

function Snapshot({ name }: { name: string }) {
  const restore = () => act(api.restoreSnapshot(name), `The snapshot ${name} is restored`)
  const drop = () => remove(api.deleteSnapshot(name), `The snapshot ${name} is deleted`, HEADING)
  return (
    <li class="row entry">
      <span class="grow">{name}</span>
      <div class="row">
        <Button text="Restore" label={`Restore ${name}`} run={restore} />
        <Button class="danger" text="Delete" label={`Delete ${name}`} run={drop} />
      </div>
    </li>
  )
}
