/** Fields for the variables that a scenario declares, and rows of name and value for those of files that it uses. */
import { SelectField, TextField } from '../../components/fields.js'
import type { Problem } from '../../control/client.js'
import type { Kind, Row } from './variable-values.js'

type Props = { rows: readonly Row[]; problems: readonly Problem[]; onChange: (rows: readonly Row[]) => void }

const KINDS: readonly Kind[] = ['text', 'number', 'true or false']
const WORDS = ['true', 'false'].map(word => [word, word] as const)
const NEW: Row = { name: '', value: '', kind: 'text' }

export function Variables({ rows, problems, onChange }: Props) {
  const declared = rows.filter(({ fallback }) => fallback !== undefined)
  const further = rows.filter(({ fallback }) => fallback === undefined)
  const replace = (row: Row, other: Row) => onChange(rows.map(one => (one === row ? other : one)))
  const problemOf = ({ name }: Row) => problems.find(({ path }) => path === `vars.${name}`)?.message
  return (
    <fieldset>
      <legend>Variables</legend>
      {declared.length > 0 && (
        <div class="behaviour-fields behaviour-declared">
          {declared.map(row => (
            <Declared key={row.name} row={row} error={problemOf(row)} onChange={value => replace(row, { ...row, value })} />
          ))}
        </div>
      )}
      {further.map((row, place) => (
        <div key={place} class="row behaviour-variable">
          <TextField label={`Name ${place + 1}`} value={row.name} placeholder="last4" onChange={name => replace(row, { ...row, name })} />
          <TextField
            label={`Value ${place + 1}`}
            value={row.value}
            placeholder="0341"
            error={problemOf(row)}
            onChange={value => replace(row, { ...row, value })}
          />
          <SelectField
            label={`Kind ${place + 1}`}
            value={row.kind}
            options={KINDS.map(kind => [kind, kind] as const)}
            onChange={kind => replace(row, { ...row, kind: kind as Kind })}
          />
          <button type="button" onClick={() => onChange(rows.filter(one => one !== row))} aria-label={`Remove variable ${place + 1}`}>
            Remove
          </button>
        </div>
      ))}
      <div class="row">
        <button type="button" onClick={() => onChange([...rows, { ...NEW }])}>
          Add a variable
        </button>
        <p class="hint">{declared.length === 0 ? 'The scenario declares none; a file that it uses may.' : 'For one of a file that the scenario uses.'}</p>
      </div>
    </fieldset>
  )
}

function Declared({ row: { name, value, kind, fallback }, ...more }: { row: Row; error: string | undefined; onChange: (value: string) => void }) {
  const hint = `${kind === 'number' ? 'A number. ' : ''}Default: ${fallback}`
  if (kind === 'true or false') return <SelectField label={name} value={value} options={WORDS} hint={hint} {...more} />
  return <TextField label={name} value={value} hint={hint} {...more} />
}
