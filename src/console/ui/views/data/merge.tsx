/** Adds and edits records by a fixture: a record with an id that is there already takes its place. */
import { useSignal } from '@preact/signals'
import { attempt } from '../../app/command.js'
import { Dialog } from '../../components/dialog.js'
import { YamlEditor } from '../../components/yaml-editor.js'
import { api, type ControlError, type Family } from '../../control/client.js'
import { countOf } from './records.js'

const EXAMPLE = `tickets:
  - { id: tkt_new, location: loc_bistro, reference: T-900 }
transactions:
  - { ticket: tkt_new, payment_type: external, amount: 4200 }
`

function addedInWords(added: object): string {
  const counts = Object.entries(added).flatMap(([family, records]) => (records.length === 0 ? [] : [countOf(records.length, family as Family)]))
  return `Added or changed: ${counts.join(', ') || 'nothing'}.`
}

export function Merge({ onClose, text = EXAMPLE }: { onClose: () => void; text?: string }) {
  const yaml = useSignal(text)
  const refused = useSignal<ControlError | null>(null)
  const write = (text: string) => {
    yaml.value = text
    // the problems name lines of the text as it was
    refused.value = null
  }
  const merge = async () => {
    refused.value = await attempt(() => api.addRecordsYaml(yaml.value), addedInWords)
    if (refused.value === null) onClose()
  }
  return (
    <Dialog
      title="Add or edit records"
      wide
      onClose={onClose}
      actions={
        <button type="button" class="primary" onClick={() => void merge()}>
          Merge into the state
        </button>
      }
    >
      <p class="hint">A fixture in YAML or JSON. A record with an id that is there already is replaced. If anything in it is wrong, nothing is changed.</p>
      <YamlEditor label="Fixture" rows={16} value={yaml.value} onChange={write} error={refused.value} />
    </Dialog>
  )
}
