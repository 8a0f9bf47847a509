/** Loads a document of one's own: pasted, opened from a file, or written here. */
import { useRef } from 'preact/hooks'
import { draft } from '../../app/draft.js'
import { Button, Form } from '../../components/button.js'
import { Card } from '../../components/card.js'
import { YamlEditor } from '../../components/yaml-editor.js'
import { api } from '../../control/client.js'
import { loading } from './command.js'

/** Outside of the component, so that what was typed outlasts a change of the view. */
const text = draft('name: mine\nfixtures: [bistro]\nscript:\n  - { on: GET /tickets, delay: 2s }\n')
const send = (dryRun: boolean) => text.send(loading(query => api.loadYaml(text.text.value, query), dryRun))

export function LoadDocument() {
  const file = useRef<HTMLInputElement>(null)
  const open = async ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    const [chosen] = currentTarget.files ?? []
    if (chosen !== undefined) text.write(await chosen.text())
    currentTarget.value = ''
  }
  return (
    <Card id="behaviour-document" title="Load a document">
      <Form class="stack" send={() => send(false)}>
        <YamlEditor
          label="Scenario or fixture, as YAML or JSON"
          {...text.editor}
          hint="It may name the fixtures and scenarios of the emulator. Values of variables are in the document, under vars."
        />
        <div class="row">
          <Button class="primary" text="Load the document" />
          <Button text="Check the document" run={() => send(true)} />
          <Button text="Open a file" run={() => file.current?.click()} />
          <input ref={file} type="file" accept=".yaml,.yml,.json" hidden onChange={event => void open(event)} aria-label="File of a scenario" />
        </div>
      </Form>
    </Card>
  )
}
