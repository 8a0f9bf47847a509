/** What adds records to the state, or edits them. */
import { useSignal } from '@preact/signals'
import { undoable, useDraft } from '../../app/command.js'
import { go } from '../../app/route.js'
import { Button } from '../../components/button.js'
import { Dialog } from '../../components/dialog.js'
import { bound, Field } from '../../components/fields.js'
import { Read, Refusal } from '../../components/states.js'
import { YamlEditor } from '../../components/yaml-editor.js'
import { control, type Family } from '../../control/client.js'
import { countIn } from './records.js'

const EXAMPLE = `tickets:
  - { id: tkt_new, location: loc_bistro, reference: T-900 }
transactions:
  - { ticket: tkt_new, payment_type: external, amount: 4200 }
`

function addedInWords(added: object): string {
  const counts = Object.entries(added).flatMap(([family, records]) =>
    records.length === 0 ? [] : [countIn(family as Family, records.length)]
  )
  return `Added or changed: ${counts.join(', ') || 'nothing'}.`
}

/** A fixture: a record with an id that is there already takes its place. */
export function Merge({ onClose, text = EXAMPLE }: { onClose: () => void; text?: string }) {
  const yaml = useDraft(text)
  const merge = async () => {
    const { first, undo } = undoable('merge')
    const merged = first().then(() => control('POST /records', { yaml: yaml.text.value }))
    if (await yaml.send(merged, addedInWords, undo)) onClose()
  }
  return (
    <Dialog
      title="Add or edit records"
      wide
      onClose={onClose}
      actions={<Button class="primary" text="Merge into the state" />}
      send={merge}
    >
      <p class="hint">
        A fixture in YAML or JSON. A record whose id exists is replaced. If there is a problem,
        nothing changes.
      </p>
      <YamlEditor label="Fixture" rows={16} schema="fixture" {...yaml.editor} />
    </Dialog>
  )
}

/** A Ticket, which the API cannot create. */
export function NewTicket({ onClose }: { onClose: () => void }) {
  const chosen = useSignal('')
  const reference = useSignal('')
  const { send, refused } = useDraft()
  const make = async (location: string) => {
    const { tickets } = await control('POST /records', {
      body: { tickets: [{ location, reference: reference.value || undefined }] }
    })
    const { id } = tickets[0] as { id: string }
    onClose()
    go({ path: ['tickets', id] })
    return `${id} is created`
  }
  return (
    <Read from={() => control('GET /state')} once>
      {({ locations }) => {
        const location = chosen.value || locations[0]?.id
        if (location === undefined)
          return (
            <Dialog title="New Ticket" onClose={onClose}>
              <p>A Ticket needs a Location, and there are none. Create one with POST /locations.</p>
            </Dialog>
          )
        return (
          <Dialog
            title="New Ticket"
            onClose={onClose}
            send={() => send(make(location))}
            actions={<Button class="primary" text="Create the Ticket" />}
          >
            <Field
              label="Location"
              options={locations.map(({ id, display_name }) => [id, `${id}, ${display_name}`])}
              {...bound(chosen)}
              value={location}
            />
            <Field
              label="Reference"
              hint="Optional. search_query matches it."
              {...bound(reference)}
            />
            <Refusal error={refused.value} />
          </Dialog>
        )
      }}
    </Read>
  )
}
