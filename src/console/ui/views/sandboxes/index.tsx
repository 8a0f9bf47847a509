/** Sandboxes: the isolated worlds of one emulator, created, deleted and compared. */
import { useSignal } from '@preact/signals'
import { RESOURCE_NAMES } from '../../../../reference/operations.js'
import { act } from '../../app/command.js'
import { NameForm } from '../../app/name-form.js'
import { go, hrefOf, inQuery, route } from '../../app/route.js'
import { Button } from '../../components/button.js'
import { ask } from '../../components/dialog.js'
import { Diff } from '../../components/diff.js'
import { SelectField } from '../../components/fields.js'
import { Card, WideTable } from '../../components/layout.js'
import { linked } from '../../components/links.js'
import { Empty, Read } from '../../components/states.js'
import { copy } from '../../components/toast.js'
import { api, type Family, type SandboxItem } from '../../control/client.js'
import { apiOf, sandbox } from '../../control/place.js'
import { type Compared, comparison } from './comparison.js'

export function Page() {
  return (
    <section class="page sandboxes">
      <Read from={api.sandboxes} isEvidence>
        {({ data }) => (
          <>
            <List items={data} />
            <Compare names={data.map(({ name }) => name)} />
          </>
        )}
      </Read>
    </section>
  )
}

function List({ items }: { items: readonly SandboxItem[] }) {
  const rows = items.map(({ name, scenario, records, requests }) => [
    linked(name, hrefOf({ view: 'requests', sandbox: name })),
    scenario,
    records.toLocaleString('en'),
    requests.toLocaleString('en'),
    <div key="actions" class="row">
      <Button class="small" text="Copy address" label={`Copy address of ${name}`} run={() => copy(`${location.origin}${apiOf(name)}`, 'Address')} />
      <Button class="small danger" text="Delete" label={`Delete ${name}`} run={() => remove(name)} />
    </div>
  ])
  return (
    <Card id="sandboxes" title="Sandboxes" isFocusable>
      <p class="hint">
        A sandbox has its own records, clock, script and journal below <code>/sandbox/NAME/next</code>. Give each worker of a test suite its own.
      </p>
      {rows.length === 0 ? (
        <Empty title="There is only the base sandbox." icon="sandboxes" />
      ) : (
        <WideTable label="The sandboxes" heads={['Name', 'Scenario', 'Records', 'Requests', '']} rows={rows} />
      )}
      <NameForm label="Name" example="worker-1" hint={CREATED} make={api.reset} done={name => `The sandbox ${name} is created`}>
        <Button class="primary" text="Create" />
      </NameForm>
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

const CREATED = 'It starts with the start scenario. A request to it with a valid key creates it too.'

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
  const heads = ['Records', 'The same', 'Different', `Only in ${one}`, `Only in ${other}`]
  const rows = Object.entries(counts).map(([family, { same, changed, first, second }]) => [
    `${RESOURCE_NAMES[family as Family]}s`,
    ...[same, changed, first, second]
  ])
  return (
    <>
      <WideTable label="Differences, counted" heads={heads} rows={rows} />
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
