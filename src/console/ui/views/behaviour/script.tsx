/** The script: its entries, the form that adds one, and the gates at which calls wait. */
import { act } from '../../app/command.js'
import { Button } from '../../components/button.js'
import { Card } from '../../components/card.js'
import { CodeBlock } from '../../components/code.js'
import { RequestLink } from '../../components/links.js'
import { NearMisses } from '../../components/near-misses.js'
import { Read } from '../../components/read.js'
import { yamlOf } from '../../components/yaml.js'
import { api, type Gate, type ListedEntry, type Release } from '../../control/client.js'
import { AddEntry } from './add-entry.js'
import { remove } from './command.js'
import { callsInWords, effectInWords, operationsInWords } from './entry-words.js'

/** In milliseconds; no event reports which calls wait. */
const REREAD_MS = 1000
const ENTRIES = 'behaviour-entries'

export const ScriptTab = () => (
  <>
    <AddEntry />
    <Card id={ENTRIES} title="Entries" isFocusable>
      <p class="hint">Of the entries that match a call, the first one that can is applied. The call counts as matched for each of them.</p>
      <Read from={api.script} every={REREAD_MS}>
        {({ data }) => <Entries entries={data} />}
      </Read>
    </Card>
    <Card id="behaviour-gates" title="Gates">
      <Read from={api.gates} every={REREAD_MS}>
        {({ data }) => <Gates gates={data} />}
      </Read>
    </Card>
  </>
)

function Entries({ entries }: { entries: readonly ListedEntry[] }) {
  if (entries.length === 0) return <p class="faint">There is none: every call is answered as the reference says.</p>
  return (
    <>
      <ol class="entries">
        {entries.map(entry => (
          <Entry key={entry.id} listed={entry} />
        ))}
      </ol>
      <div class="row">
        <Button class="danger" text="Remove all entries" run={() => remove(api.clearScript(), 'The script is empty', ENTRIES)} />
      </div>
    </>
  )
}

function Entry({ listed: { id, entry, matched, applied, too_long, near_misses } }: { listed: ListedEntry }) {
  const conditions = callsInWords(entry)
  return (
    <li class="row entry">
      <div class="grow">
        <p>
          <code>{id}</code> <b>{entry.name ?? operationsInWords(entry)}</b>
        </p>
        <p>
          {operationsInWords(entry)}
          {conditions && <span class="faint"> ({conditions})</span>}: {effectInWords(entry)}
        </p>
        <p class="counts">
          <span class="badge">{figure(matched)} matched</span> <span class={`badge ${applied > 0 ? 'good' : ''}`}>{figure(applied)} applied</span>
          {too_long !== undefined && <span class="badge warn">{too_long} with a value too long for the pattern</span>}
        </p>
        <NearMisses near={near_misses} begins="Nearly applied to" shown={id => <RequestLink id={id} />} />
        <details>
          <summary>YAML of {id}</summary>
          <CodeBlock text={yamlOf(entry)} label={`YAML of ${id}`} />
        </details>
      </div>
      <Button class="danger" text="Remove" label={`Remove ${id}`} run={() => remove(api.removeEntry(id), `${id} is removed`, ENTRIES)} />
    </li>
  )
}

/** As wide as three digits, so that a count that grows moves nothing. */
const figure = (count: number): string => String(count).padStart(3, '\u2007')

function Gates({ gates }: { gates: readonly Gate[] }) {
  if (gates.length === 0) return <p class="faint">There is none: no entry holds calls.</p>
  return (
    <ul class="entries">
      {gates.map(({ name, open, waiting }) => (
        <li key={name} class="row entry">
          <div class="grow">
            <p>
              <b>{name}</b> <span class={`badge ${open ? 'good' : 'warn'}`}>{open ? 'open' : 'closed'}</span>{' '}
              {open ? 'Calls go through.' : `${waiting.length === 0 ? 'No call waits' : `${waiting.length} wait, the first one first`}.`}
            </p>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard */}
            <ol class="waiting" aria-label={`Calls that wait at ${name}`} tabIndex={0}>
              {waiting.map(({ id, on }, place) => (
                <li key={id}>
                  {place + 1}. <code>{id}</code> {on}
                </li>
              ))}
            </ol>
          </div>
          <div class="row">
            <Button text="Open" label={`Open: ${name}`} disabled={open} run={() => openGate(name, 'in_order')} />
            <Button text="Open, last first" label={`Open, last first: ${name}`} disabled={open} run={() => openGate(name, 'reverse')} />
          </div>
        </li>
      ))}
    </ul>
  )
}

const openGate = (name: string, release: Release) =>
  act(api.openGate(name, release), ({ released }) => `The gate ${name} is open; ${released.length} ${released.length === 1 ? 'call goes' : 'calls go'} on`)
