/** Sandboxes are chosen, created, deleted and compared. */
import { useSignal } from '@preact/signals'
import { Button, bound, CheckField, Field } from '../components/controls.js'
import { ask, Dialog } from '../components/dialog.js'
import { Diff } from '../components/diff.js'
import { Empty, Read, Table } from '../components/layout.js'
import { control, sandbox } from '../control/client.js'
import { countOf } from '../views/count.js'
import { act } from './command.js'
import { comparison } from './comparison.js'
import { NameForm } from './name-form.js'
import { go, hrefOf, route } from './route.js'
import { sandboxes } from './store.js'

const BASE = 'base sandbox'
export const sandboxShown = (name: string = sandbox.value): string => name || BASE

const create = (name: string) => control('POST /reset', { sandbox: name })

export const Gone = () => (
  <Empty icon="sandboxes" title={`There is no sandbox ${sandbox.value}.`}>
    <p>It was deleted, or nothing has created it yet.</p>
    <div class="row">
      <Button
        class="primary"
        text="Go to the base sandbox"
        run={() => go({ view: route.value.view, sandbox: '' })}
      />
      <Button
        text={`Create ${sandbox.value}`}
        run={() => act(create(sandbox.value), `Sandbox ${sandbox.value} created`)}
      />
    </div>
  </Empty>
)

export function Sandboxes({ onClose }: { onClose: () => void }) {
  const items = sandboxes.value
  const rows = items.map(({ name, scenario, records, requests }) => [
    linkTo(name, onClose),
    scenario,
    records.toLocaleString('en'),
    requests.toLocaleString('en'),
    <Button
      key="delete"
      class="small danger"
      text="Delete"
      label={`Delete ${name}`}
      run={() => drop(name)}
    />
  ])
  return (
    <Dialog title="Sandboxes" wide onClose={onClose}>
      <p class="hint">
        A sandbox has its own records, clock, script and requests below{' '}
        <code>/sandbox/NAME/next</code>. Give each worker of a test suite its own.
      </p>
      <Table
        label="The sandboxes"
        heads={['Name', 'Scenario', 'Records', 'Requests', '']}
        rows={[[linkTo('', onClose), '', '', '', ''], ...rows]}
      />
      <NameForm
        label="New sandbox"
        example="worker-1"
        make={create}
        done={name => `Sandbox ${name} created`}
      >
        <Button text="Create" />
      </NameForm>
      {items.length > 0 && <Compare names={items.map(({ name }) => name)} />}
    </Dialog>
  )
}

const linkTo = (name: string, onClick: () => void) => (
  <a
    href={hrefOf({ view: route.value.view, sandbox: name })}
    onClick={onClick}
    aria-current={name === sandbox.value ? 'true' : undefined}
  >
    {sandboxShown(name)}
  </a>
)

const drop = (name: string) =>
  ask({
    title: `Delete ${name}?`,
    text: 'Its records, snapshots and requests will be lost.',
    action: 'Delete sandbox',
    run: () =>
      act(control('DELETE /sandboxes/NAME', { name, sandbox: '' }), `Sandbox ${name} deleted`)
  })

const stateOf = (name: string) => control('GET /state', { sandbox: name })

function Compare({ names }: { names: readonly string[] }) {
  const first = useSignal('')
  const second = useSignal(names.includes(sandbox.value) ? sandbox.value : (names[0] ?? ''))
  const isExact = useSignal(false)
  const options = [['', BASE] as const, ...names]
  const a = first.value
  const b = second.value
  return (
    <section class="stack" aria-label="Compare two sandboxes">
      <h3>Compare</h3>
      <div class="fields">
        <Field label="First" options={options} {...bound(first)} />
        <Field label="Second" options={options} {...bound(second)} />
      </div>
      <CheckField
        label="Compare ids and creation times too"
        value={isExact.value}
        onChange={isOn => (isExact.value = isOn)}
      />
      {a === b ? (
        <p class="faint">Choose two different sandboxes.</p>
      ) : (
        <Read
          from={async () => comparison(await stateOf(a), await stateOf(b), isExact.peek())}
          by={`${a} ${b} ${isExact.value}`}
        >
          {({ same, before, after }) => (
            <>
              <p>
                {`${countOf(same, 'record')} the same. `}
                Differences: <del>{sandboxShown(a)}</del> <ins>{sandboxShown(b)}</ins>
              </p>
              <Diff before={before} after={after} />
            </>
          )}
        </Read>
      )}
    </section>
  )
}
