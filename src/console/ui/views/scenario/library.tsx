/** The library of scenarios, beside an editor that checks what is typed. */
import { signal, useSignalEffect } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { draft } from '../../app/command.js'
import { useResource } from '../../app/resource.js'
import { go, hrefOf, inQuery, route } from '../../app/route.js'
import { Button, SearchField } from '../../components/controls.js'
import { toast, toastError } from '../../components/toast.js'
import { YamlEditor } from '../../components/yaml-editor.js'
import {
  type ControlError,
  control,
  controlText,
  type ListedScenario,
  type RequestParts
} from '../../control/client.js'
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

/** What was typed outlasts a change of the view. */
const edited = draft(BLANK)
const checked = draft()
const listed = signal<{ name: string; text: string } | null>(null)

const CHECK_MS = 400
/** In characters; longer texts are checked when they are loaded. */
const MAX_CHECKED = 200_000

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
const editedParts = (): RequestParts =>
  listed.value?.text === edited.text.value
    ? { body: { scenario: listed.value.name } }
    : { yaml: edited.text.value }

/** Begins with what the address names, once. */
const useBeginning = () =>
  useSignalEffect(() => {
    const { view, path, query } = route.value
    const { from, ...rest } = query
    if (view !== 'scenario' || from === undefined) return
    go({ path, query: rest }, { replace: true })
    const [, read] = BEGINNINGS[from] ?? []
    void (read ? begin(read) : beginListed(from.slice(2))).catch(toastError)
  })

const useCheck = () =>
  useSignalEffect(() => {
    const timer =
      edited.text.value.length > MAX_CHECKED
        ? undefined
        : setTimeout(check, CHECK_MS, checked, editedParts())
    return () => clearTimeout(timer)
  })

export function Library() {
  useBeginning()
  useCheck()
  const refused = edited.refused.value ?? checked.refused.value
  return (
    <div class="library">
      <Gallery />
      <div class="stack">
        <LoadBar refused={refused} />
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

const linkTo = (from: string) =>
  hrefOf({ path: ['library'], query: { from, q: route.value.query.q } })

function Gallery() {
  const scenarios = useResource(() => control('GET /scenarios')).data?.data ?? []
  const isWanted = matching(route.value.query.q ?? '')
  return (
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
          .map(scenario => (
            <Listed key={`${scenario.kind} ${scenario.name}`} {...scenario} />
          ))}
      </ul>
    </div>
  )
}

function Listed(scenario: ListedScenario) {
  const { name, kind, description } = scenario
  return (
    <li class="row entry">
      <a
        class="grow"
        href={linkTo(`./${name}`)}
        aria-current={name === listed.value?.name ? 'true' : undefined}
      >
        <b>{titleOf(scenario)}</b> {kind === 'fixture' && 'records only '}
        {isLoaded(scenario) && <span class="badge good">loaded</span>}
        <span class="hint">{description}</span>
      </a>
      <Button
        class="small"
        text="Load"
        label={`Load ${name}`}
        run={() => beginListed(name).then(load)}
      />
    </li>
  )
}

const load = () => loadWith(edited, editedParts())

function LoadBar({ refused }: { refused: ControlError | null }) {
  const file = useRef<HTMLInputElement>(null)
  const open = async ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    const [chosen] = currentTarget.files ?? []
    if (chosen !== undefined) await begin(() => chosen.text())
    currentTarget.value = ''
  }
  const isMasked = listed.value === null && edited.text.value.includes('***')
  return (
    <div class="row">
      <Button
        class="primary"
        text="Load scenario"
        title="Replaces records, keys, settings, seed, clock and script. You can undo this, except the cleared request log."
        run={load}
      />
      <p class="hint" role="status">
        {refused ? countOf(refused.problems.length || 1, 'problem') : checked.text.value}
        {isMasked && ' *** stands for card data: enter it again before you load.'}
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
  )
}
