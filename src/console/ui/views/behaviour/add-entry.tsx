/** The form that adds a script entry, beside the YAML that it makes. */
import { useSignal } from '@preact/signals'
import { useDraft } from '../../app/command.js'
import { narrowed, route } from '../../app/route.js'
import { Button, Form } from '../../components/button.js'
import { ChoiceField } from '../../components/fields.js'
import { Card } from '../../components/layout.js'
import { Choices } from '../../components/links.js'
import { yamlOf } from '../../components/yaml.js'
import { YamlEditor } from '../../components/yaml-editor.js'
import { api } from '../../control/client.js'
import { fieldAt, PRESET_NAMES, PRESETS, type Preset, presetCalled, valuesOf } from './presets.js'

/** An entry that was copied as an item of a list; its lines and columns stay. */
const asEntry = (yaml: string) => yaml.replace(/^- /, '  ')

export function AddEntry() {
  const chosen = presetCalled(route.value.query.add)
  const choices = PRESET_NAMES.map(name => [name, PRESETS[name].title, narrowed({ add: name })] as const)
  return (
    <Card id="behaviour-add" title="Add an entry">
      <Choices label="What the entry does" choices={choices} chosen={chosen} />
      <PresetForm key={chosen} preset={PRESETS[chosen]} />
    </Card>
  )
}

function PresetForm({ preset }: { preset: Preset }) {
  const values = useSignal(valuesOf(preset))
  /** Null while the form makes the YAML. */
  const edited = useSignal<string | null>(null)
  const { refused, send } = useDraft()
  const yaml = edited.value ?? yamlOf(preset.entry(values.value))
  const isEdited = edited.value !== null
  const problemOf = (name: string) => (isEdited ? undefined : refused.value?.problems.find(({ path }) => fieldAt(preset.fields, path) === name)?.message)
  const add = () => send(api.addEntryYaml(asEntry(yaml)), ({ id }) => `${id} is added`)
  const edit = (text: string | null) => {
    edited.value = text
    refused.value = null
  }
  return (
    <Form class="stack" send={add}>
      <p class="faint">{preset.about}</p>
      <div class="fields">
        {preset.fields.map(({ name, label, hint, options, list }) => {
          const write = (value: string) => {
            values.value = { ...values.value, [name]: value }
            refused.value = null
          }
          const field = { label, hint, value: values.value[name] ?? '', error: problemOf(name), disabled: isEdited, onChange: write }
          return <ChoiceField key={name} options={options} list={list} {...field} />
        })}
      </div>
      <div class="row">
        <Button class="primary" text="Add the entry" />
        <Button text="Discard the edits" disabled={!isEdited} run={() => edit(null)} />
        <p class="hint">{isEdited ? 'You edited the YAML: it will be added as it is.' : 'The fields write the YAML. You can edit it too.'}</p>
      </div>
      <YamlEditor label="YAML of the entry" value={yaml} onChange={edit} error={refused.value} rows={13} />
    </Form>
  )
}
