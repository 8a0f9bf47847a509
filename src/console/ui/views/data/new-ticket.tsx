/** Creates a Ticket, which the API cannot do. */
import { useSignal } from '@preact/signals'
import { useDraft } from '../../app/draft.js'
import { go } from '../../app/route.js'
import { Button, Form } from '../../components/button.js'
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
    <Dialog title="New Ticket" onClose={onClose}>
      <Read from={api.state}>
        {({ locations }) => {
          const fallback = locations[0]?.id
          if (fallback === undefined) return <p>A Ticket needs a Location, and there are none. Create one with POST /locations.</p>
          const options = locations.map(({ id, display_name }) => [id, `${id}, ${display_name}`] as const)
          return (
            <Form class="stack" send={() => send(make(fallback))}>
              <SelectField label="Location" options={options} {...bound(location)} value={location.value || fallback} />
              <TextField label="Reference" hint="Optional. search_query matches it." {...bound(reference)} />
              <Refusal error={refused.value} />
              <Button class="primary" text="Create the Ticket" />
            </Form>
          )
        }}
      </Read>
    </Dialog>
  )
}
