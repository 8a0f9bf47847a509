/** The loaded scenario, its script and clock, and what else can be loaded. */
import { act, reset, undoable, useDraft } from '../../app/command.js'
import { NameForm } from '../../app/name-form.js'
import { choiceIn, hrefOf, route } from '../../app/route.js'
import { overview } from '../../app/store.js'
import { Button, ButtonLink, Field, Form } from '../../components/controls.js'
import { ask } from '../../components/dialog.js'
import { Card, Items, Read } from '../../components/layout.js'
import { Tabs } from '../../components/links.js'
import { toast, toastError } from '../../components/toast.js'
import {
  type ClockState,
  ControlError,
  control,
  type Overview,
  type SnapshotName
} from '../../control/client.js'
import { instantInWords } from '../count.js'
import { Expectations } from '../expectations.js'
import { loadedText, remove } from './command.js'
import { Library } from './library.js'
import { ScriptTab } from './script.js'

const Loaded = () => (
  <div class="halves">
    {overview.value && <Present {...overview.value} />}
    <Snapshots />
  </div>
)

const download = (name: string) =>
  loadedText().then(text => {
    const href = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }))
    Object.assign(document.createElement('a'), { href, download: `${name}.yaml` }).click()
    URL.revokeObjectURL(href)
    toast(`${name}.yaml saved`)
  }, toastError)

const Present = ({ scenario: { name, description }, seed }: Overview) => (
  <Card id="scenario-loaded" title={name}>
    <p>{description ?? 'No description.'}</p>
    <p class="hint">Seed {seed}</p>
    <div class="row">
      <ButtonLink
        icon="scenario"
        text="View"
        href={hrefOf({ path: ['library'], query: { from: 'loaded' } })}
      />
      <Button class="small" icon="download" text="Download" run={() => download(name)} />
      <Button class="small" icon="reset" text="Reset" label="Reset the state" run={reset} />
      <ButtonLink icon="plus" text="Load another…" href={hrefOf({ path: ['library'] })} />
    </div>
    <h3>Expectations</h3>
    <Expectations />
  </Card>
)

const Snapshots = () => (
  <Card id="scenario-snapshots" title="Snapshots">
    <p class="hint">
      A snapshot holds records, keys, ids, seed, clock and script counts, and survives resets and
      loads.
    </p>
    <Read from={() => control('GET /snapshots')}>
      {({ data }) => (
        <>
          <NameForm
            label="Name of the snapshot"
            example="lunch"
            make={name => save(name, data)}
            done={name => `Snapshot ${name} saved`}
          >
            <Button text="Save" />
          </NameForm>
          <Items
            class="scroll"
            of={data}
            none="No snapshots yet."
            keyOf={({ name }) => name}
            render={({ name }) => name}
            actions={SnapshotActions}
          />
        </>
      )}
    </Read>
  </Card>
)

const SnapshotActions = ({ name }: SnapshotName) => (
  <>
    <Button class="small" text="Restore" label={`Restore ${name}`} run={() => restore(name)} />
    <Button class="small danger" text="Delete" label={`Delete ${name}`} run={() => drop(name)} />
  </>
)

async function save(name: string, saved: readonly SnapshotName[]): Promise<unknown> {
  if (saved.some(snapshot => snapshot.name === name))
    throw new ControlError('name_taken', `The snapshot ${name} exists already; delete it first.`)
  return control('PUT /snapshots/NAME', { name })
}

function restore(name: string) {
  // a snapshot must not be replaced before it is restored
  const { first, undo } = undoable(name === 'before-restore' ? 'restore-again' : 'restore')
  return act(
    first().then(() => control('POST /snapshots/NAME/restore', { name })),
    `Snapshot ${name} restored`,
    undo
  )
}

const drop = (name: string) =>
  ask({
    title: `Delete ${name}?`,
    text: 'The state in it will be lost.',
    action: 'Delete the snapshot',
    run: () =>
      remove(
        control('DELETE /snapshots/NAME', { name }),
        `Snapshot ${name} deleted`,
        'scenario-snapshots'
      )
  })

const ClockTab = () => overview.value && <Clock {...overview.value.clock} />

function Clock({ running, now }: ClockState) {
  const [action, done] = running ? ['Freeze', 'The clock is frozen'] : ['Resume', 'The clock runs']
  return (
    <Card id="scenario-clock" title="Clock">
      <div class="stack form">
        <div class="row">
          <p class="time">
            <time dateTime={now}>{instantInWords(now)}</time>
          </p>
          <span class="badge">{running ? 'running' : 'frozen'}</span>
          <Button
            class="small"
            text={action}
            run={() => act(control('PUT /clock', { body: { running: !running } }), done)}
          />
        </div>
        <p class="hint">
          It stamps records and drives a script’s from, until, for and stale, but not its delays.
        </p>
        <AdvanceForm />
        <SetForm />
      </div>
    </Card>
  )
}

function AdvanceForm() {
  const { text, send, field } = useDraft()
  const advance = () =>
    send(
      control('POST /clock/advance', { body: { by: text.value.trim() } }),
      ({ now }) => `Now: ${instantInWords(now)}`
    )
  return (
    <Form class="row aligned" send={advance}>
      <Field
        label="Advance by"
        placeholder="36h"
        hint="Such as 250ms, 90s, 36h, 7d or PT36H."
        {...field}
      />
      <Button text="Advance" />
    </Form>
  )
}

function SetForm() {
  const { text, write, send, field } = useDraft()
  const set = () =>
    send(control('PUT /clock', { body: { now: text.value.trim() } }), 'The clock is set')
  return (
    <Form class="stack" send={set}>
      <Field
        label="Set to"
        placeholder="2026-02-28T23:59:59Z"
        hint="ISO 8601; UTC if no offset is given."
        {...field}
      />
      <div class="row">
        <Button class="primary" text="Set" />
        <Button text="Now" run={() => write(new Date().toISOString())} />
      </div>
    </Form>
  )
}

const TABS = {
  loaded: { title: 'Loaded', Content: Loaded },
  script: { title: 'Script', Content: ScriptTab },
  clock: { title: 'Clock', Content: ClockTab },
  library: { title: 'Library & editor', Content: Library }
}

export function Page() {
  const chosen = choiceIn(TABS, route.value.path[0], 'loaded')
  const { Content } = TABS[chosen]
  return (
    <section class="page">
      <Tabs label="Parts of the scenario" tabs={TABS} chosen={chosen} />
      <Content />
    </section>
  )
}
