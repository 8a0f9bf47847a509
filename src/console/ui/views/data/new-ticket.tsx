/** Creates a Ticket, which the API cannot do. */
import { useSignal } from '@preact/signals'
import { useDraft } from '../../app/command.js'
import { go } from '../../app/route.js'
import { Button } from '../../components/button.js'
import { Dialog } from '../../components/dialog.js'
import { bound, SelectField, TextField } from '../../components/fields.js'
import { Read, Refusal } from '../../components/states.js'
import { api } from '../../control/client.js'

export function NewTicket({ onClose }: { onClose: () => void }) {
  const location = useSignal('')
  const reference = useSignal('')
  const { send, refused } = useDraft()
  const make = async (fallback: string) => {
    const { tickets } = await api.addRecords({
      tickets: [{ location: location.value || fallback, ...(reference.value && { reference: reference.value }) }]
    })
    const { id } = tickets[0] as { id: string }
    onClose()
    go({ path: ['tickets', id] })
    return `${id} is created`
  }
  return (
    <Read from={api.state} once>
      {({ locations }) => {
        const fallback = locations[0]?.id
        const options = locations.map(({ id, display_name }) => [id, `${id}, ${display_name}`] as const)
        return fallback === undefined ? (
          <Dialog title="New Ticket" onClose={onClose}>
            <p>A Ticket needs a Location, and there are none. Create one with POST /locations.</p>
          </Dialog>
        ) : (
          <Dialog title="New Ticket" onClose={onClose} send={() => send(make(fallback))} actions={<Button class="primary" text="Create the Ticket" />}>
            <SelectField label="Location" options={options} {...bound(location)} value={location.value || fallback} />
            <TextField label="Reference" hint="Optional. search_query matches it." {...bound(reference)} />
            <Refusal error={refused.value} />
          </Dialog>
        )
      }}
    </Read>
  )
}
