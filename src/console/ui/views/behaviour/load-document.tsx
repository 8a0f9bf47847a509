/** Loads a document of one's own: pasted, opened from a file, or written here. */
import { signal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { YamlEditor } from '../../components/yaml-editor.js'
import { api, type ControlError } from '../../control/client.js'
import { load } from './command.js'

/** Kept outside of the component, so that what was typed is still there after another view was shown. */
const text = signal('name: mine\nfixtures: [bistro]\nscript:\n  - { on: GET /tickets, delay: 2s }\n')
const refused = signal<ControlError | null>(null)

function write(yaml: string): void {
  text.value = yaml
  // the problems name lines of the text as it was
  refused.value = null
}

export function LoadDocument() {
  const file = useRef<HTMLInputElement>(null)
  const send = async (dryRun: boolean) => {
    refused.value = await load(query => api.loadYaml(text.value, query), { dryRun })
  }
  const open = async ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    const [chosen] = currentTarget.files ?? []
    if (chosen !== undefined) write(await chosen.text())
    currentTarget.value = ''
  }
  return (
    <section class="card" aria-labelledby="behaviour-document">
      <h2 id="behaviour-document">Load a document</h2>
      <form
        class="behaviour-form"
        onSubmit={event => {
          event.preventDefault()
          void send(false)
        }}
      >
        <YamlEditor
          label="Scenario or fixture, as YAML or JSON"
          value={text.value}
          onChange={write}
          error={refused.value}
          hint="It may name the fixtures and scenarios of the emulator. Values of variables are in the document, under vars."
        />
        <div class="row">
          <button type="submit" class="primary">
            Load the document
          </button>
          <button type="button" onClick={() => void send(true)}>
            Check the document
          </button>
          <button type="button" onClick={() => file.current?.click()}>
            Open a file
          </button>
          <input ref={file} type="file" accept=".yaml,.yml,.json" hidden onChange={event => void open(event)} aria-label="File of a scenario" />
        </div>
      </form>
    </section>
  )
}
