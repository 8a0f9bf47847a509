/** Sandboxes: the isolated worlds of one emulator, created, deleted and compared. */
import { useSignal } from '@preact/signals'
import { RESOURCE_NAMES } from '../../../../reference/operations.js'
import { NameForm } from '../../app/name-form.js'
import { go, hrefOf, inQuery, route } from '../../app/route.js'
import { Button } from '../../components/button.js'
import { ask } from '../../components/dialog.js'
import { Diff } from '../../components/diff.js'
import { Field } from '../../components/fields.js'
import { Card, WideTable } from '../../components/layout.js'
import { linked } from '../../components/links.js'
import { Empty, Read } from '../../components/states.js'
import { copy } from '../../components/toast.js'
import { control, type SandboxItem } from '../../control/client.js'
import { apiOf, sandbox } from '../../control/place.js'
import { FAMILIES } from '../data/records.js'
import { remove } from '../scenarios/command.js'
import { type Compared, comparison } from './comparison.js'

export function Page() {
  return (
    <section class="page">
      <Read from={() => control('GET /sandboxes')} isEvidence>
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
      <Button
        class="small"
        text="Copy address"
        label={`Copy address of ${name}`}
        run={() => copy(`${location.origin}${apiOf(name)}`, 'Address')}
      />
      <Button class="small danger" text="Delete" label={`Delete ${name}`} run={() => drop(name)} />
    </div>
  ])
  return (
    <Card id="sandboxes" title="Sandboxes" isFocusable>
      <p class="hint">
        A sandbox has its own records, clock, script and journal below{' '}
        <code>/sandbox/NAME/next</code>. Give each worker of a test suite its own.
      </p>
      {rows.length === 0 && <Empty title="There is only the base sandbox." icon="sandboxes" />}
      {rows.length > 0 && (
        <WideTable
          label="The sandboxes"
          heads={['Name', 'Scenario', 'Records', 'Requests', '']}
          rows={rows}
        />
      )}
      <NameForm
        label="Name"
        example="worker-1"
        hint="It starts with the start scenario. A request to it with a valid key creates it too."
        make={sandbox => control('POST /reset', { sandbox })}
        done={name => `The sandbox ${name} is created`}
      >
        <Button class="primary" text="Create" />
      </NameForm>
    </Card>
  )
}

const drop = (name: string) =>
  ask({
    title: `Delete ${name}?`,
    text: 'Its records, snapshots and journal will be lost.',
    action: 'Delete the sandbox',
    run: () => {
      void remove(
        control('DELETE /sandboxes/NAME', { name, sandbox: '' }),
        `The sandbox ${name} is deleted`,
        'sandboxes'
      )
      if (sandbox.value === name) go({ sandbox: '' })
    }
  })

const stateOf = (sandbox: string) => control('GET /state', { sandbox })

function Compare({ names }: { names: readonly string[] }) {
  const { a = '', b = names.find(name => name !== a) ?? '' } = route.value.query
  const options = [['', 'base sandbox'] as const, ...names]
  return (
    <Card id="sandbox-compare" title="Compare two sandboxes">
      <div class="fields">
        <Field label="One" options={options} {...inQuery('a')} value={a} />
        <Field label="The other" options={options} {...inQuery('b')} value={b} />
      </div>
      {a === b ? (
        <p class="faint">Choose two different sandboxes.</p>
      ) : (
        <Read from={async () => comparison(await stateOf(a), await stateOf(b))} by={`${a} ${b}`}>
          {compared => (
            <Result compared={compared} names={[a || 'base sandbox', b || 'base sandbox']} />
          )}
        </Read>
      )}
    </Card>
  )
}

/** Records that are listed at once. */
const SHOWN = 50

function Result({
  compared,
  names: [one, other]
}: {
  compared: readonly Compared[]
  names: readonly [string, string]
}) {
  const shown = useSignal(SHOWN)
  const kinds = {
    same: 'The same',
    changed: 'Different',
    first: `Only in ${one}`,
    second: `Only in ${other}`
  }
  const rows = FAMILIES.map(family => [
    `${RESOURCE_NAMES[family]}s`,
    ...Object.keys(kinds).map(
      wanted => compared.filter(record => record.family === family && record.kind === wanted).length
    )
  ])
  const different = compared.filter(({ kind }) => kind !== 'same')
  return (
    <>
      <WideTable
        label="Differences, counted"
        heads={['Records', ...Object.values(kinds)]}
        rows={rows}
      />
      {different.length === 0 && <p class="faint">Their records are the same.</p>}
      {different.slice(0, shown.value).map(({ family, id, kind, first = {}, second = {} }) => (
        <details key={id} open={different.length <= 5}>
          <summary>{`${RESOURCE_NAMES[family]} ${id}: ${kinds[kind]}`}</summary>
          <Diff before={first} after={second} />
        </details>
      ))}
      {different.length > shown.value && (
        <Button
          text={`Show all ${different.length}`}
          run={() => (shown.value = different.length)}
        />
      )}
    </>
  )
}
