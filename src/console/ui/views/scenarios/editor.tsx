/** An editor for a scenario of your own: written here, opened from a file, or begun with the state or the requests that came. */
import { useSignalEffect } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { draft } from '../../app/draft.js'
import { go, route } from '../../app/route.js'
import { Button } from '../../components/button.js'
import { copy, toast, toastError } from '../../components/toast.js'
import { YamlEditor } from '../../components/yaml-editor.js'
import { api } from '../../control/client.js'
import { loading } from './command.js'

const BLANK = `# Ctrl+Space completes names and values.
name: mine
fixtures: [bistro]
script:
  - on: GET /tickets
    delay: 2s
`

/** Outside of the component, so that what was typed outlasts a change of the view. */
const text = draft(BLANK)
const send = (dryRun: boolean) =>
  text.send(
    loading(query => api.loadYaml(text.text.value, query), dryRun),
    done => done
  )

const indented = (yaml: string) => yaml.trimEnd().replace(/^(?=.)/gm, '  ')

/** What the editor can begin with. */
const BEGINNINGS = {
  blank: async () => BLANK,
  state: async () => `name: my-state\ndata:\n${indented(await api.stateYaml())}\n`,
  requests: async (q: string) => {
    if (q !== '') toast('The scenario replays every request since the last load or reset, not only the filtered list.', 'error')
    return api.requestsScenario()
  }
}
type Beginning = keyof typeof BEGINNINGS

const begin = (from: Beginning, q = '') => BEGINNINGS[from](q).then(text.write, toastError)

export function Editor() {
  const file = useRef<HTMLInputElement>(null)
  useSignalEffect(() => {
    const { view, path, query } = route.value
    const { from, q = '' } = query
    if (view !== 'scenarios' || from === undefined || !Object.hasOwn(BEGINNINGS, from)) return
    go({ path }, { replace: true })
    void begin(from as Beginning, q)
  })
  const open = async ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    const [chosen] = currentTarget.files ?? []
    if (chosen !== undefined) text.write(await chosen.text())
    currentTarget.value = ''
  }
  return (
    <div class="stack">
      <div class="row view-bar">
        <Button class="primary" text="Load the document" run={() => send(false)} />
        <Button text="Check the document" run={() => send(true)} />
        <div class="row end">
          <span class="hint">Start from</span>
          <Button class="small" text="Blank" run={() => begin('blank')} />
          <Button class="small" text="The current state" run={() => begin('state')} />
          <Button class="small" text="The requests so far" run={() => begin('requests')} />
          <Button class="small" text="Open a file" run={() => file.current?.click()} />
          <Button class="small" text="Copy" label="Copy the document" run={() => copy(text.text.value, 'Document')} />
          <input ref={file} type="file" accept=".yaml,.yml,.json" hidden onChange={event => void open(event)} aria-label="Scenario file" />
        </div>
      </div>
      <YamlEditor
        label="Scenario or fixture, as YAML or JSON"
        rows={28}
        schema="scenario"
        {...text.editor}
        hint="It can name the fixtures and scenarios of the emulator. Ctrl+Space completes; a check marks the lines with a problem."
      />
    </div>
  )
}
