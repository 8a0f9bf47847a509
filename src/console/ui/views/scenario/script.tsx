/** The script: its entries, the form that adds one, and its gates. */
import { act, useDraft } from '../../app/command.js'
import { REREAD_MS } from '../../app/store.js'
import { Button, Form } from '../../components/controls.js'
import { ask } from '../../components/dialog.js'
import { Card, Items, Read } from '../../components/layout.js'
import { chosenIn, NearMisses, QueryTabs } from '../../components/links.js'
import { yamlOf } from '../../components/yaml.js'
import { YamlEditor } from '../../components/yaml-editor.js'
import { control, type Gate, type ListedEntry, type OpenedGate } from '../../control/client.js'
import { remove } from './command.js'
import { PRESETS, presetText } from './presets.js'

const HEADING = 'script-entries'

export const ScriptTab = () => (
  <div class="halves">
    <div class="stack">
      <Card id={HEADING} title="Entries">
        <p class="hint">The first entry that applies is used; all that match count the request.</p>
        <Read from={() => control('GET /script')} every={REREAD_MS}>
          {({ data }) => <Entries entries={data} />}
        </Read>
      </Card>
      <Card id="script-gates" title="Gates">
        <Read from={() => control('GET /gates')} every={REREAD_MS}>
          {({ data }) => <Gates gates={data} />}
        </Read>
      </Card>
    </div>
    <AddEntry />
  </div>
)

const Entries = ({ entries }: { entries: readonly ListedEntry[] }) => (
  <>
    <Items
      of={entries}
      none="No entries: the emulator responds as the reference says."
      keyOf={({ id }) => id}
      render={Entry}
      actions={listed => (
        <Button
          class="small quiet danger"
          icon="trash"
          label={`Remove ${listed.id}`}
          run={() => drop(listed)}
        />
      )}
    />
    {entries.length > 0 && (
      <div class="row">
        <Button class="small danger" text="Remove all entries" run={clear} />
      </div>
    )}
  </>
)

const drop = ({ id, entry }: ListedEntry) =>
  remove(control('DELETE /script/ID', { name: id }), `${id} removed`, HEADING, () =>
    addAgain(entry)
  )

const addAgain = async (body: ListedEntry['entry']) =>
  `Added again, at the end, as ${(await control('POST /script', { body })).id}`

const clear = () =>
  ask({
    title: 'Remove all entries?',
    text: "A reset brings back the scenario's entries.",
    action: 'Remove all',
    run: () => remove(control('DELETE /script'), 'The script is empty', HEADING)
  })

const Entry = ({ id, entry: { name, ...entry }, matched, applied, near_misses }: ListedEntry) => (
  <div class="stack">
    <p class="row">
      <code>{id}</code> <b>{name}</b>
      <span class="badge count end">{matched} matched</span>
      <span class={`badge count ${applied > 0 ? 'good' : ''}`}>{applied} applied</span>
    </p>
    <pre>{yamlOf(entry)}</pre>
    <NearMisses near={near_misses} />
  </div>
)

const Gates = ({ gates }: { gates: readonly Gate[] }) => (
  <Items
    of={gates}
    none="No gates: no entry holds requests."
    keyOf={({ name }) => name}
    render={({ name, open, waiting }) => (
      <>
        <p>
          <b>{name}</b>{' '}
          <span class={`badge ${open ? 'good' : 'warn'}`}>{open ? 'open' : 'closed'}</span>{' '}
          {open
            ? 'Requests go through.'
            : `${waiting.length === 0 ? 'No requests are waiting' : `${waiting.length} waiting, in this order`}.`}
        </p>
        <ol class="waiting row" aria-label={`Requests that wait at ${name}`}>
          {waiting.map(({ id, on }, place) => (
            <li key={id}>
              {place + 1}. <code>{id}</code> {on}
            </li>
          ))}
        </ol>
      </>
    )}
    actions={({ name, open }) =>
      Object.entries({ Open: 'in_order', 'Open in reverse': 'reverse' }).map(([text, release]) => (
        <Button
          key={text}
          class="small"
          text={text}
          label={`${text}: ${name}`}
          disabled={open}
          run={() => openGate(name, release)}
        />
      ))
    }
  />
)

const openGate = (name: string, release: string) =>
  act(control('POST /gates/NAME/open', { name, body: { release } }), opened)
const opened = ({ name, released: { length } }: OpenedGate) =>
  `The gate ${name} is open; ${length} ${length === 1 ? 'request goes' : 'requests go'} on`

/** Takes an item of a list too; lines and columns stay. */
const asEntry = (yaml: string) => yaml.replace(/^- /, '  ')

export function AddEntry() {
  const chosen = chosenIn(PRESETS, 'add')
  return (
    <Card id="script-add" title="Add an entry">
      <QueryTabs class="chips" label="What the entry does" tabs={PRESETS} name="add" />
      <Preset key={chosen} name={chosen} />
    </Card>
  )
}

function Preset({ name }: { name: keyof typeof PRESETS }) {
  const preset = PRESETS[name]
  const draft = useDraft(presetText(preset))
  const add = () =>
    draft.send(
      control('POST /script', { yaml: asEntry(draft.text.value) }),
      ({ id }) => `${id} added`
    )
  return (
    <Form class="stack" send={add}>
      <p class="faint">{preset.about}</p>
      <YamlEditor label="YAML of the entry" rows={14} schema="script" draft={draft} />
      <Button class="primary end" text="Add entry" />
    </Form>
  )
}
