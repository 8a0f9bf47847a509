/** Fields for the variables of a scenario: one for each that the emulator lists, or rows of name and value. */
import { SelectField, TextField } from '../../components/fields.js'
import type { Problem } from '../../control/client.js'
import type { Declared, Kind, Row } from './variable-values.js'

type Props = { rows: readonly Row[]; declared: Declared; problems: readonly Problem[]; onChange: (rows: readonly Row[]) => void }

const KINDS: readonly Kind[] = ['text', 'number', 'true or false']
const NEW: Row = { name: '', value: '', kind: 'text' }

export function Variables({ rows, declared, problems, onChange }: Props) {
  const change = (place: number, part: Partial<Row>) => onChange(rows.map((row, at) => (at === place ? { ...row, ...part } : row)))
  const problemOf = (name: string) => problems.find(({ path }) => path === `vars.${name}` || path === name)?.message
  if (declared !== undefined) {
    return (
      <div class="behaviour-fields">
        {rows.map(({ name, value, kind }, place) =>
          kind === 'true or false' ? (
            <SelectField
              key={name}
              label={name}
              value={value}
              options={[
                ['true', 'true'],
                ['false', 'false']
              ]}
              error={problemOf(name)}
              onChange={value => change(place, { value })}
            />
          ) : (
            <TextField
              key={name}
              label={name}
              value={value}
              hint={`${kind === 'number' ? 'A number. ' : ''}Default: ${declared[name]}`}
              error={problemOf(name)}
              onChange={value => change(place, { value })}
            />
          )
        )}
      </div>
    )
  }
  return (
    <fieldset>
      <legend>Variables</legend>
      {rows.map(({ name, value, kind }, place) => (
        <div key={place} class="behaviour-variable">
          <TextField label={`Name ${place + 1}`} value={name} placeholder="last4" onChange={name => change(place, { name })} />
          <TextField label={`Value ${place + 1}`} value={value} placeholder="0341" error={problemOf(name)} onChange={value => change(place, { value })} />
          <SelectField
            label={`Kind ${place + 1}`}
            value={kind}
            options={KINDS.map(kind => [kind, kind] as const)}
            onChange={kind => change(place, { kind: kind as Kind })}
          />
          <button type="button" onClick={() => onChange(rows.filter((_, at) => at !== place))} aria-label={`Remove variable ${place + 1}`}>
            Remove
          </button>
        </div>
      ))}
      <button type="button" onClick={() => onChange([...rows, NEW])}>
        Add a variable
      </button>
    </fieldset>
  )
}
