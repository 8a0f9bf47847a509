/** Fields for the variables of a scenario, and rows for those of files that it uses. */
import { Button } from '../../components/button.js'
import { ChoiceField, SelectField, TextField } from '../../components/fields.js'
import type { Problem } from '../../control/client.js'
import type { Kind, Row } from './variable-values.js'

type Props = { rows: readonly Row[]; problems: readonly Problem[]; onChange: (rows: readonly Row[]) => void }

const KINDS: readonly Kind[] = ['text', 'number', 'true or false']

export function Variables({ rows, problems, onChange }: Props) {
  const declared = rows.filter(({ fallback }) => fallback !== undefined)
  const further = rows.filter(({ fallback }) => fallback === undefined)
  const of = (row: Row, part: 'name' | 'value' | 'kind') => ({
    value: row[part],
    error: part === 'value' ? problems.find(({ path }) => path === `vars.${row.name}`)?.message : undefined,
    onChange: (typed: string) => onChange(rows.map(one => (one === row ? { ...row, [part]: typed } : one)))
  })
  return (
    <fieldset>
      <legend>Variables</legend>
      {declared.length > 0 && (
        <div class="fields">
          {declared.map(row => {
            const field = { label: row.name, hint: `${row.kind === 'number' ? 'A number. ' : ''}Default: ${row.fallback}`, ...of(row, 'value') }
            return <ChoiceField key={row.name} options={row.kind === 'true or false' ? ['true', 'false'] : null} {...field} />
          })}
        </div>
      )}
      {further.map((row, place) => (
        <div key={place} class="row scenario-variable">
          <TextField label={`Name ${place + 1}`} placeholder="last4" {...of(row, 'name')} />
          <TextField label={`Value ${place + 1}`} placeholder="0341" {...of(row, 'value')} />
          <SelectField label={`Kind ${place + 1}`} options={KINDS} {...of(row, 'kind')} />
          <Button text="Remove" label={`Remove variable ${place + 1}`} run={() => onChange(rows.filter(one => one !== row))} />
        </div>
      ))}
      <div class="row">
        <Button text="Add a variable" run={() => onChange([...rows, { name: '', value: '', kind: 'text' }])} />
        <p class="hint">
          {declared.length === 0 ? 'The scenario declares no variables, but a file that it uses may.' : 'Add the variables of a file that the scenario uses.'}
        </p>
      </div>
    </fieldset>
  )
}
