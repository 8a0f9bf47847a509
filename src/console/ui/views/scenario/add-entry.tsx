/** The form that adds a script entry, beside the YAML that it makes. */
import { useSignal } from '@preact/signals'
import { useDraft } from '../../app/command.js'
import { choiceIn, narrowed, route } from '../../app/route.js'
import { Button, Form } from '../../components/button.js'
import { Field } from '../../components/fields.js'
import { Card } from '../../components/layout.js'
import { Choices } from '../../components/links.js'
import { yamlOf } from '../../components/yaml.js'
import { YamlEditor } from '../../components/yaml-editor.js'
import { control } from '../../control/client.js'
import { entryOf, FIELDS, isAt, PRESETS, type Preset } from './presets.js'

/** An entry that was copied as an item of a list; its lines and columns stay. */
const asEntry = (yaml: string) => yaml.replace(/^- /, '  ')

export function AddEntry() {
  const chosen = choiceIn(PRESETS, route.value.query.add, 'decline')
  return (
    <Card id="script-add" title="Add an entry">
      <Choices
        label="What the entry does"
        choices={Object.entries(PRESETS).map(([name, { title }]) => [
          name,
          title,
          narrowed({ add: name })
        ])}
        chosen={chosen}
      />
      <PresetForm key={chosen} {...PRESETS[chosen]} />
    </Card>
  )
}

function PresetForm({ about, values }: Preset) {
  const typed = useSignal(values)
  const made = yamlOf(entryOf(typed.value))
  const draft = useDraft(made)
  const { text, refused, write, send } = draft
  const isEdited = text.value !== made
  const problemAt = (field: string) =>
    isEdited ? undefined : refused.value?.problems.find(({ path }) => isAt(path, field))?.message
  const add = () =>
    send(control('POST /script', { yaml: asEntry(text.value) }), ({ id }) => `${id} is added`)
  const change = (field: string) => (value: string) => {
    typed.value = { ...typed.value, [field]: value }
    write(yamlOf(entryOf(typed.value)))
  }
  return (
    <Form class="stack" send={add}>
      <p class="faint">{about}</p>
      <div class="fields">
        {Object.entries(FIELDS).flatMap(([path, field]) => {
          const value = typed.value[path]
          if (value === undefined) return []
          return (
            <Field
              key={path}
              {...field}
              value={value}
              error={problemAt(path)}
              disabled={isEdited}
              onChange={change(path)}
            />
          )
        })}
      </div>
      <YamlEditor label="YAML of the entry" rows={11} draft={draft} />
      <div class="row">
        <Button class="primary" text="Add entry" />
        {isEdited && <Button text="Discard edits" run={() => write(made)} />}
      </div>
    </Form>
  )
}
