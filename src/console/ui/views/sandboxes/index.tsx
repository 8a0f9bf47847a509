/** Sandboxes: the isolated worlds of one emulator, created, deleted and compared. */
import { useSignal } from '@preact/signals'
import { RESOURCE_NAMES } from '../../../../reference/operations.js'
import { act } from '../../app/command.js'
import { useDraft } from '../../app/draft.js'
import { go, hrefOf, inQuery, route } from '../../app/route.js'
import { Button, Form } from '../../components/button.js'
import { Card } from '../../components/card.js'
import { copy } from '../../components/copy.js'
import { ask } from '../../components/dialog.js'
import { Diff } from '../../components/diff.js'
import { SelectField, TextField } from '../../components/fields.js'
import { Read } from '../../components/read.js'
import { Empty } from '../../components/states.js'
import { Table } from '../../components/table.js'
import { api, ControlError, type Family, type SandboxItem } from '../../control/client.js'
import { apiOf, sandbox } from '../../control/place.js'
import type { View } from '../view.js'
import { type Compared, comparison } from './comparison.js'

const NAMELESS = new ControlError('name_missing', 'Must be a name, such as worker-1.', 0)

function Page() {
  return (
    <section class="page sandboxes">
      <Read from={api.sandboxes} isEvidence>
        {({ data }) => (
          <>
            <div class="halves">
              <List items={data} />
              <Create />
            </div>
            <Compare names={data.map(({ name }) => name)} />
          </>
        )}
      </Read>
    </section>
  )
}

function List({ items }: { items: readonly SandboxItem[] }) {
  const rows = items.map(({ name, scenario, records, requests }) => [
    <th key="name" scope="row">
      <a href={hrefOf({ view: 'requests', sandbox: name })}>{name}</a>
    </th>,
    scenario,
    records.toLocaleString('en'),
    requests.toLocaleString('en'),
    <div key="actions" class="row">
      <Button class="small" text="Copy address" label={`Copy address of ${name}`} run={() => copy(`${location.origin}${apiOf(name)}`, 'Address')} />
      <Button class="small danger" text="Delete" label={`Delete ${name}`} run={() => remove(name)} />
    </div>
  ])
  const actions = (
    <span key="actions" class="hidden">
      Actions
    </span>
  )
  return (
    <Card id="sandboxes" title="Sandboxes" isFocusable>
      <p class="hint">
        A sandbox has its own records, clock, script and journal below <code>/sandbox/NAME/next</code>. Give each worker of a test suite its own.
      </p>
      {rows.length === 0 ? (
        <Empty title="There is only the base sandbox." icon="sandboxes" />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard
        <div class="wide-table" role="region" aria-label="The sandboxes" tabIndex={0}>
          <Table heads={['Name', 'Scenario', 'Records', 'Requests', actions]} rows={rows} />
        </div>
      )}
    </Card>
  )
}

const remove = (name: string) =>
  ask({
    title: `Delete ${name}?`,
    text: 'Its records, snapshots and journal will be lost.',
    action: 'Delete the sandbox',
    run: async () => {
      await act(api.deleteSandbox(name), `The sandbox ${name} is deleted`)
      if (sandbox.value === name) go({ sandbox: '' })
      document.getElementById('sandboxes')?.focus()
    }
  })

function Create() {
  const name = useDraft()
  const create = async () => {
    const wanted = name.text.value.trim()
    if (wanted === '') name.refused.value = NAMELESS
    else if (await name.send(api.reset(wanted), `The sandbox ${wanted} is created`)) name.write('')
  }
  return (
    <Card id="sandbox-create" title="Create a sandbox">
      <Form class="row aligned" send={create}>
        <TextField
          label="Name"
          placeholder="worker-1"
          hint="It starts with the start scenario. A request to it with a valid key creates it too."
          {...name.field}
        />
        <Button class="primary" text="Create" />
      </Form>
    </Card>
  )
}

function Compare({ names }: { names: readonly string[] }) {
  const { a = '', b = names.find(name => name !== a) ?? '' } = route.value.query
  const options = [['', 'base sandbox'] as const, ...names]
  return (
    <Card id="sandbox-compare" title="Compare two sandboxes">
      <div class="fields">
        <SelectField label="One" options={options} {...inQuery('a')} value={a} />
        <SelectField label="The other" options={options} {...inQuery('b')} value={b} />
      </div>
      {a === b ? (
        <p class="faint">Choose two different sandboxes.</p>
      ) : (
        <Read from={async () => comparison(await api.stateOf(a), await api.stateOf(b))} by={`${a} ${b}`}>
          {compared => <Result compared={compared} names={[a || 'base sandbox', b || 'base sandbox']} />}
        </Read>
      )}
    </Card>
  )
}

/** Records that are listed at once. */
const SHOWN = 50

function Result({ compared, names: [one, other] }: { compared: Compared; names: readonly [string, string] }) {
  const shown = useSignal(SHOWN)
  const { counts, different } = compared
  const rows = Object.entries(counts).map(([family, { same, changed, first, second }]) => [
    <th key="family" scope="row">
      {`${RESOURCE_NAMES[family as Family]}s`}
    </th>,
    same,
    changed,
    first,
    second
  ])
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard */}
      <div class="wide-table" role="region" aria-label="Differences, counted" tabIndex={0}>
        <Table heads={['Records', 'The same', 'Different', `Only in ${one}`, `Only in ${other}`]} rows={rows} />
      </div>
      {different.length === 0 && <p class="faint">Their records are the same.</p>}
      {different.slice(0, shown.value).map(({ family, id, first, second }) => (
        <details key={id} open={different.length <= 5}>
          <summary>{`${RESOURCE_NAMES[family]} ${id}: ${first === undefined || second === undefined ? `only in ${first === undefined ? other : one}` : 'different'}`}</summary>
          <Diff before={first ?? {}} after={second ?? {}} />
        </details>
      ))}
      {different.length > shown.value && <Button text={`Show all ${different.length}`} run={() => (shown.value = different.length)} />}
    </>
  )
}

export const view: View = { Page }
