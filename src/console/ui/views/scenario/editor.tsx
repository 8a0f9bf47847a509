/**
 * An editor for a scenario: begun with the loaded one, one of the library, the requests that came or
 * a file, and checked as it is typed.
 */
import { useSignalEffect } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { draft } from '../../app/command.js'
import { useResource } from '../../app/resource.js'
import { go, narrow, route } from '../../app/route.js'
import { Button } from '../../components/button.js'
import { Field } from '../../components/fields.js'
import { copy, toast, toastError } from '../../components/toast.js'
import { YamlEditor } from '../../components/yaml-editor.js'
import { control, controlText } from '../../control/client.js'
import { countOf } from '../count.js'
import { check, loadWith } from './command.js'
import { loadedText } from './loaded-text.js'

const BLANK = `# Ctrl+Space completes names and values.
name: mine
fixtures: [bistro]
script:
  - on: GET /tickets
    delay: 2s
`

/** Outside of the component, so that what was typed outlasts a change of the view. */
const edited = draft(BLANK)
const checked = draft()

const CHECK_MS = 400
/** Longer texts, in characters, are checked when they are loaded. */
const MAX_CHECKED = 200_000

const BEGINNINGS: Readonly<Record<string, readonly [title: string, read: () => Promise<string>]>> =
  {
    blank: ['A blank document', async () => BLANK],
    loaded: ['The loaded scenario', loadedText],
    requests: [
      'The requests so far',
      () => controlText('GET /requests', { query: { format: 'scenario' } })
    ]
  }
const TITLES = Object.entries(BEGINNINGS).map(([name, [title]]) => [name, title] as const)

function begin(text: Promise<string>): Promise<void> {
  const before = edited.text.value
  const shown = (begun: string) => {
    edited.write(begun)
    if (begun.includes('***'))
      toast(
        '*** stands for card data, which is not shown. Write it again before you load the document.',
        'error'
      )
    if (before !== BLANK && before !== begun)
      toast('The text was replaced', 'done', { text: 'Undo', run: () => edited.write(before) })
  }
  return text.then(shown, toastError)
}

export function Editor() {
  const file = useRef<HTMLInputElement>(null)
  const listed = useResource(() => control('GET /scenarios'), '', { once: true }).data?.data ?? []
  useSignalEffect(() => {
    const { view, path, query } = route.value
    const { from, ...rest } = query
    if (view !== 'scenario' || from === undefined) return
    go({ path, query: rest }, { replace: true })
    const [, read = () => controlText('GET /scenarios/NAME', { name: from.slice(2) })] =
      BEGINNINGS[from] ?? []
    void begin(read())
  })
  useSignalEffect(() => {
    const yaml = edited.text.value
    const timer =
      yaml.length > MAX_CHECKED ? undefined : setTimeout(check, CHECK_MS, checked, { yaml })
    return () => clearTimeout(timer)
  })
  const open = async ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    const [chosen] = currentTarget.files ?? []
    if (chosen !== undefined) await begin(chosen.text())
    currentTarget.value = ''
  }
  const { text } = edited
  const refused = edited.refused.value ?? checked.refused.value
  return (
    <div class="stack">
      <div class="row">
        <Button
          class="primary"
          text="Load scenario"
          run={() => loadWith(edited, { yaml: text.value })}
        />
        <p class="hint" role="status">
          {refused ? countOf(refused.problems.length || 1, 'problem') : checked.text.value}
        </p>
        <div class="row end">
          <Field
            label="Start from"
            isLabelHidden
            value=""
            options={[
              ['', 'Start from…'],
              ...TITLES,
              ...listed.map(({ name }) => [`./${name}`, name] as const)
            ]}
            onChange={from => narrow({ from })}
          />
          <Button text="Open a file" run={() => file.current?.click()} />
          <Button text="Copy" label="Copy the document" run={() => copy(text.value, 'Document')} />
          <input
            ref={file}
            type="file"
            accept=".yaml,.yml,.json"
            hidden
            onChange={event => void open(event)}
            aria-label="Scenario file"
          />
        </div>
      </div>
      <YamlEditor
        label="Scenario or fixture, as YAML or JSON"
        rows={28}
        schema="scenario"
        draft={edited}
        error={refused}
        hint="Ctrl+Space completes. Problems are marked as you type."
      />
    </div>
  )
}
