/**
 * An editor for a scenario: begun with one of the gallery, the state, the requests that came or a
 * file, checked as it is typed, and compared.
 */
import { useSignalEffect } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { draft } from '../../app/command.js'
import { useResource } from '../../app/resource.js'
import { go, inQuery, narrow, route } from '../../app/route.js'
import { Button } from '../../components/button.js'
import { LineDiff } from '../../components/diff.js'
import { Field } from '../../components/fields.js'
import { Read } from '../../components/states.js'
import { copy, toast, toastError } from '../../components/toast.js'
import { YamlEditor } from '../../components/yaml-editor.js'
import { control, controlText } from '../../control/client.js'
import { check, loadWith } from './command.js'

const BLANK = `# Ctrl+Space completes names and values.
name: mine
fixtures: [bistro]
script:
  - on: GET /tickets
    delay: 2s
`

/** Outside of the component, so that what was typed outlasts a change of the view. */
const edited = draft(BLANK)
/** What a check of the text said. */
const checked = draft()

const CHECK_MS = 400
/** Longer texts, in characters, are checked when they are loaded. */
const MAX_CHECKED = 200_000

const indented = (yaml: string) => yaml.trimEnd().replace(/^(?=.)/gm, '  ')

/** What the editor can begin with besides the scenarios of the gallery. */
const BEGINNINGS: Readonly<
  Record<string, readonly [title: string, read: (ids?: string) => Promise<string>]>
> = {
  blank: ['A blank document', async () => BLANK],
  state: [
    'The current state',
    async () =>
      `name: my-state\ndata:\n${indented(await controlText('GET /state', { query: { format: 'yaml' } }))}\n`
  ],
  requests: [
    'The requests so far',
    ids => controlText('GET /requests', { query: { format: 'scenario', ...(ids && { ids }) } })
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
  const names =
    useResource(() => control('GET /scenarios'), '', { once: true }).data?.data.map(
      ({ name }) => name
    ) ?? []
  const { compare } = route.value.query
  useSignalEffect(() => {
    const { view, path, query } = route.value
    const { from, ids, ...rest } = query
    if (view !== 'scenarios' || from === undefined) return
    go({ path, query: rest }, { replace: true })
    const [, read = () => controlText('GET /scenarios/NAME', { name: from.slice(2) })] =
      BEGINNINGS[from] ?? []
    void begin(read(ids))
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
  const { text, editor } = edited
  const refused = edited.refused.value ?? checked.refused.value
  const problems = refused?.problems.length || 1
  return (
    <>
      <div class="row">
        <Button
          class="primary"
          text="Load the document"
          run={() => loadWith(edited, { yaml: text.value })}
        />
        <div class="row end">
          <Field
            label="Start from"
            isLabelHidden
            value=""
            options={[
              ['', 'Start from…'],
              ...TITLES,
              ...names.map(name => [`./${name}`, name] as const)
            ]}
            onChange={from => narrow({ from })}
          />
          <Field
            label="Compare with"
            isLabelHidden
            options={[['', 'Compare with…'], ...names]}
            {...inQuery('compare')}
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
      <p class="hint" role="status">
        {refused ? `${problems} ${problems === 1 ? 'problem' : 'problems'}` : checked.text.value}
      </p>
      <div class={compare === undefined ? 'stack' : 'halves'}>
        <YamlEditor
          label="Scenario or fixture, as YAML or JSON"
          rows={28}
          schema="scenario"
          {...editor}
          error={refused}
          hint="It can name the fixtures and scenarios of the emulator. Ctrl+Space completes; problems are marked as you type."
        />
        {compare !== undefined && (
          <Read
            from={() => controlText('GET /scenarios/NAME', { name: compare })}
            by={compare}
            once
          >
            {other => (
              <LineDiff
                label={`${compare} compared with the document`}
                before={other}
                after={text.value}
              />
            )}
          </Read>
        )}
      </div>
    </>
  )
}
