/** What adds records to the state, or edits them. */
import { undoable, useDraft } from '../../app/command.js'
import { Button } from '../../components/controls.js'
import { Dialog } from '../../components/dialog.js'
import { YamlEditor } from '../../components/yaml-editor.js'
import { control, type Family } from '../../control/client.js'
import { countIn } from './records.js'

/** The API itself cannot create a Ticket. */
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
      <YamlEditor label="Fixture" rows={16} schema="fixture" draft={yaml} />
    </Dialog>
  )
}
