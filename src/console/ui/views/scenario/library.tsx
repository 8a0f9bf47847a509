/**
 * What can be loaded, beside an editor: one of the library, the loaded scenario or a file, checked
 * as it is typed.
 */
import { signal, useSignalEffect } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { draft } from '../../app/command.js'
import { useResource } from '../../app/resource.js'
import { go, hrefOf, inQuery, route } from '../../app/route.js'
import { Button, SearchField } from '../../components/controls.js'
import { toast, toastError } from '../../components/toast.js'
import { YamlEditor } from '../../components/yaml-editor.js'
import { control, controlText, type Given } from '../../control/client.js'
import { countOf } from '../count.js'
import { matching } from '../data/records.js'
import { check, isLoaded, loadedText, loadWith, titleOf } from './command.js'

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
const listed = signal<{ name: string; text: string } | null>(null)

const CHECK_MS = 400
/** Longer texts, in characters, are checked when they are loaded. */
const MAX_CHECKED = 200_000

/** What the editor can begin with besides the scenarios of the library. */
const BEGINNINGS: Readonly<Record<string, readonly [title: string, read: () => Promise<string>]>> =
  { blank: ['A blank document', async () => BLANK], loaded: ['The loaded scenario', loadedText] }

async function begin(read: () => Promise<string>, name?: string): Promise<void> {
  const before = edited.text.value
  const text = await read()
  edited.write(text)
  listed.value = name === undefined ? null : { name, text }
  if (before !== BLANK && before !== text)
    toast('The text was replaced', 'done', { text: 'Undo', run: () => edited.write(before) })
}

const beginListed = (name: string) =>
  begin(() => controlText('GET /scenarios/NAME', { name }), name)

/** By its name, if nothing was changed: card data is masked in the text. */
const given = (): Given =>
  listed.value?.text === edited.text.value
    ? { body: { scenario: listed.value.name } }
    : { yaml: edited.text.value }

export function Library() {
  const file = useRef<HTMLInputElement>(null)
  const scenarios = useResource(() => control('GET /scenarios')).data?.data ?? []
  useSignalEffect(() => {
    const { view, path, query } = route.value
    const { from, ...rest } = query
    if (view !== 'scenario' || from === undefined) return
    go({ path, query: rest }, { replace: true })
    const [, read] = BEGINNINGS[from] ?? []
    void (read ? begin(read) : beginListed(from.slice(2))).catch(toastError)
  })
  useSignalEffect(() => {
    const timer =
      edited.text.value.length > MAX_CHECKED
        ? undefined
        : setTimeout(check, CHECK_MS, checked, given())
    return () => clearTimeout(timer)
  })
  const open = async ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    const [chosen] = currentTarget.files ?? []
    if (chosen !== undefined) await begin(() => chosen.text())
    currentTarget.value = ''
  }
  const refused = edited.refused.value ?? checked.refused.value
  const isMasked = listed.value === null && edited.text.value.includes('***')
  const { q = '' } = route.value.query
  const isWanted = matching(q)
  const linkTo = (from: string) => hrefOf({ path: ['library'], query: { from, q } })
  return (
    <div class="library">
      <div class="stack">
        <SearchField label="Search scenarios" {...inQuery('q')} />
        <ul class="gallery">
          {Object.entries(BEGINNINGS).map(([from, [title]]) => (
            <li key={from}>
              <a href={linkTo(from)}>{title}</a>
            </li>
          ))}
          {scenarios
            .filter(({ name, title, description }) => isWanted([name, title, description]))
            .map(one => (
              <li key={`${one.kind} ${one.name}`} class="row entry">
                <a
                  class="grow"
                  href={linkTo(`./${one.name}`)}
                  aria-current={one.name === listed.value?.name ? 'true' : undefined}
                >
                  <b>{titleOf(one)}</b> {one.kind === 'fixture' && 'records only '}
                  {isLoaded(one) && <span class="badge good">loaded</span>}
                  <span class="hint">{one.description}</span>
                </a>
                <Button
                  class="small"
                  text="Load"
                  label={`Load ${one.name}`}
                  run={() => beginListed(one.name).then(() => loadWith(edited, given()))}
                />
              </li>
            ))}
        </ul>
      </div>
      <div class="stack">
        <div class="row">
          <Button
            class="primary"
            text="Load scenario"
            title="Replaces records, keys, settings, seed, clock and script. You can undo this, except the cleared request log."
            run={() => loadWith(edited, given())}
          />
          <p class="hint" role="status">
            {refused ? countOf(refused.problems.length || 1, 'problem') : checked.text.value}
            {isMasked && ' *** stands for card data: write it again before you load.'}
          </p>
          <Button class="small end" text="Open a file" run={() => file.current?.click()} />
          <input
            ref={file}
            type="file"
            accept=".yaml,.yml,.json"
            hidden
            onChange={event => void open(event)}
            aria-label="Scenario file"
          />
        </div>
        <YamlEditor
          label="Scenario or fixture, as YAML or JSON"
          rows={30}
          schema="scenario"
          draft={edited}
          error={refused}
        />
      </div>
    </div>
  )
}
