/** The form that adds a script entry: what is asked for most, with its parameters, and the YAML that it makes. */
import { useSignal } from '@preact/signals'
import { attempt } from '../../app/command.js'
import { hrefOf, route } from '../../app/route.js'
import { SelectField, TextField } from '../../components/fields.js'
import { yamlOf } from '../../components/yaml.js'
import { YamlEditor } from '../../components/yaml-editor.js'
import { api, type ControlError } from '../../control/client.js'
import { type Field, fieldAt, PRESET_NAMES, PRESETS, type Preset, presetCalled, valuesOf } from './presets.js'

/** An entry that was copied as an item of a list, as that item; its lines and columns stay where they are. */
const asEntry = (yaml: string) => yaml.replace(/^- /, '  ')

export function AddEntry() {
  const { path, query } = route.value
  const chosen = presetCalled(query.add)
  return (
    <section class="card" aria-labelledby="behaviour-add">
      <h2 id="behaviour-add">Add an entry</h2>
      <nav class="chips" aria-label="What the entry does">
        {PRESET_NAMES.map(name => (
          <a key={name} href={hrefOf({ path, query: { ...query, add: name } })} aria-current={name === chosen ? 'true' : undefined}>
            {PRESETS[name].title}
          </a>
        ))}
      </nav>
      <PresetForm key={chosen} preset={PRESETS[chosen]} />
    </section>
  )
}

function PresetForm({ preset }: { preset: Preset }) {
  const values = useSignal(valuesOf(preset))
  /** The YAML once it was edited; null while the form makes it. */
  const edited = useSignal<string | null>(null)
  const refused = useSignal<ControlError | null>(null)
  const yaml = edited.value ?? yamlOf(preset.entry(values.value))
  const problemOf = (name: string) => {
    if (edited.value !== null) return undefined
    return refused.value?.problems.find(({ path }) => fieldAt(preset.fields, path) === name)?.message
  }
  const add = async (event: Event) => {
    event.preventDefault()
    refused.value = await attempt(
      () => api.addEntryYaml(asEntry(yaml)),
      ({ id }) => `${id} is added`
    )
  }
  const write = (name: string, value: string) => {
    values.value = { ...values.value, [name]: value }
    refused.value = null
  }
  return (
    <form class="behaviour-form" onSubmit={event => void add(event)}>
      <p class="faint">{preset.about}</p>
      <div class="behaviour-add">
        <div>
          <div class="behaviour-fields">
            {preset.fields.map(field => (
              <ParameterField
                key={field.name}
                field={field}
                value={values.value[field.name] ?? ''}
                error={problemOf(field.name)}
                disabled={edited.value !== null}
                onChange={value => write(field.name, value)}
              />
            ))}
          </div>
        </div>
        <YamlEditor
          label="YAML of the entry"
          value={yaml}
          onChange={text => {
            edited.value = text
            refused.value = null
          }}
          error={refused.value}
          rows={14}
        />
      </div>
      <div class="row">
        <button type="submit" class="primary">
          Add the entry
        </button>
        <button
          type="button"
          disabled={edited.value === null}
          onClick={() => {
            edited.value = null
            refused.value = null
          }}
        >
          Discard the edits
        </button>
        <p class="hint">{edited.value === null ? 'The fields write the YAML; it can be edited too.' : 'The YAML was edited: it is added as it is.'}</p>
      </div>
    </form>
  )
}

type FieldProps = { field: Field; value: string; error: string | undefined; disabled: boolean; onChange: (value: string) => void }

function ParameterField({ field: { label, hint, options, list }, ...more }: FieldProps) {
  if (options !== undefined) return <SelectField label={label} hint={hint} options={options} {...more} />
  return <TextField label={label} hint={hint} {...(list && { list })} {...more} />
}
