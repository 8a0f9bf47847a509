/** What is loaded, what has changed since, and what else can be loaded. */
import { useSignal } from '@preact/signals'
import { useDraft } from '../../app/draft.js'
import { useResource } from '../../app/resource.js'
import { go, hrefOf, inQuery, narrowed, route } from '../../app/route.js'
import { overview, readOverview } from '../../app/store.js'
import { reset } from '../../app/undo.js'
import { Button, Form } from '../../components/button.js'
import { Dialog } from '../../components/dialog.js'
import { SearchField } from '../../components/fields.js'
import { instantInWords } from '../../components/instant.js'
import { Card, Scroll } from '../../components/layout.js'
import { linked } from '../../components/links.js'
import { Empty, Loaded, Read, Refusal } from '../../components/states.js'
import { api, type Changes, type ListedScenario, type Overview } from '../../control/client.js'
import { matches } from '../data/records.js'
import { changesInWords } from './changes-words.js'
import { loading, REREAD_MS } from './command.js'
import { Snapshots } from './snapshots.js'
import { givenVariables, type Row, rowsOf } from './variable-values.js'
import { Variables } from './variables.js'

export function Gallery() {
  const resource = useResource(readOverview, '', { once: true, every: REREAD_MS })
  return (
    <>
      <div class="halves">
        <Loaded resource={{ ...resource, data: overview.value }}>{overview => <Present overview={overview} />}</Loaded>
        <Snapshots />
      </div>
      <SearchField label="Search scenarios" {...inQuery('q')} />
      <Read from={api.scenarios}>{({ data }) => <Cards scenarios={data} />}</Read>
    </>
  )
}

const Present = ({ overview: { scenario, seed, clock } }: { overview: Overview }) => (
  <Card id="scenario-loaded" title={`Loaded: ${scenario.name}`}>
    <p class="faint">{scenario.description ?? 'It has no description.'}</p>
    <p>{`Seed ${seed}. The clock ${clock.running ? 'runs' : 'is frozen'} at ${instantInWords(clock.now)}.`}</p>
    <h3>Changed since the load</h3>
    <Scroll class="changes" label="Changed since the load">
      <Read from={api.changes} every={REREAD_MS}>
        {shownChanges}
      </Read>
    </Scroll>
    <div class="row">
      <Button icon="reset" text="Reset the state" run={reset} />
      <a class="button" href={hrefOf({ path: ['editor'], query: { from: 'state' } })}>
        Edit the state as a scenario
      </a>
    </div>
  </Card>
)

function shownChanges(changes: Changes) {
  const lines = changesInWords(changes)
  if (lines.length === 0) return <p class="faint">Nothing has changed.</p>
  return (
    <ul>
      {lines.map(({ text, tab }) => (
        <li key={text}>{linked(text, tab && hrefOf({ view: 'behaviour', path: [tab], query: tab === 'settings' ? { changed: '1' } : {} }))}</li>
      ))}
    </ul>
  )
}

const titleOf = ({ name, title = name }: ListedScenario) => title

function Cards({ scenarios }: { scenarios: readonly ListedScenario[] }) {
  const { scenario: chosen, q = '' } = route.value.query
  const shown = scenarios.filter(({ name, title, description }) => matches([name, title, description], q))
  const open = scenarios.find(({ name }) => name === chosen)
  if (shown.length === 0) return <Empty title="No scenario matches." icon="search" />
  return (
    <>
      <ul class="gallery">
        {shown.map(scenario => (
          <li key={`${scenario.kind} ${scenario.name}`}>
            <a class="card" href={hrefOf(narrowed({ scenario: scenario.name }))}>
              <b>{titleOf(scenario)}</b>
              <span class="row">
                {scenario.kind === 'fixture' && <span class="badge">records only</span>}
                {titleOf(scenario) === overview.value?.scenario.name && <span class="badge good">loaded</span>}
              </span>
              <span class="faint">{scenario.description ?? 'It has no description.'}</span>
            </a>
          </li>
        ))}
      </ul>
      {open && <LoadDialog key={open.name} scenario={open} onClose={() => go(narrowed({ scenario: undefined }), { replace: true })} />}
    </>
  )
}

function LoadDialog({ scenario, onClose }: { scenario: ListedScenario; onClose: () => void }) {
  const { name, kind, vars, description } = scenario
  const rows = useSignal<readonly Row[]>(rowsOf(vars))
  const asked = useDraft()
  const refused = asked.refused.value
  const checked = useSignal('')
  const send = async (dryRun: boolean) => {
    const values = givenVariables(rows.value)
    const body = { scenario: name, ...(Object.keys(values).length > 0 && { vars: values }) }
    checked.value = ''
    const isTaken = await asked.send(
      loading(query => api.load(body, query), dryRun),
      done => done
    )
    if (isTaken && dryRun) checked.value = 'It can be loaded.'
  }
  return (
    <Dialog title={titleOf(scenario)} onClose={onClose}>
      <Form class="stack" send={() => send(false)}>
        <p>{description ?? 'It has no description.'}</p>
        {kind === 'scenario' && <Variables rows={rows.value} problems={refused?.problems ?? []} onChange={changed => (rows.value = changed)} />}
        <Refusal error={refused} />
        <p role="status">{checked.value}</p>
        <p class="hint">A load replaces records, keys, settings, seed, clock and script, and clears the journal. The previous state is kept as a snapshot.</p>
        <div class="row">
          <Button class="primary" text={`Load ${name}`} />
          <Button text="Check only" run={() => send(true)} />
        </div>
      </Form>
    </Dialog>
  )
}
