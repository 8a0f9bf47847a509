/** Makes a Ticket, which the API cannot do. */
import { useSignal } from '@preact/signals'
import { attempt } from '../../app/command.js'
import { useResource } from '../../app/resource.js'
import { go } from '../../app/route.js'
import { Dialog } from '../../components/dialog.js'
import { SelectField, TextField } from '../../components/fields.js'
import { Loaded, Refusal } from '../../components/states.js'
import { api, type ControlError } from '../../control/client.js'

export function NewTicket({ onClose }: { onClose: () => void }) {
  const resource = useResource(api.state)
  const location = useSignal('')
  const reference = useSignal('')
  const refused = useSignal<ControlError | null>(null)
  const make = async (fallback: string) => {
    refused.value = await attempt(
      async () => {
        const { tickets } = await api.addRecords({
          tickets: [{ location: location.value || fallback, ...(reference.value && { reference: reference.value }) }]
        })
        const { id } = tickets[0] as { id: string }
        onClose()
        go({ path: ['tickets', id] })
        return id
      },
      id => `${id} was made.`
    )
  }
  return (
    <Dialog title="New Ticket" onClose={onClose}>
      <Loaded resource={resource}>
        {({ locations }) => {
          const fallback = locations[0]?.id
          if (fallback === undefined) return <p>A Ticket is opened at a Location, and there is none. Add one with POST /locations.</p>
          return (
            <form
              onSubmit={event => {
                event.preventDefault()
                void make(fallback)
              }}
            >
              <SelectField
                label="Location"
                value={location.value || fallback}
                options={locations.map(({ id, display_name }) => [id, `${id}, ${display_name}`])}
                onChange={id => {
                  location.value = id
                }}
              />
              <TextField
                label="Reference"
                hint="What search_query matches; it can be left out."
                value={reference.value}
                onChange={text => {
                  reference.value = text
                }}
              />
              <Refusal error={refused.value} />
              <button type="submit" class="primary">
                Make Ticket
              </button>
            </form>
          )
        }}
      </Loaded>
    </Dialog>
  )
}
