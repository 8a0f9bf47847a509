/** What is loaded, what has changed since, and what else can be loaded. */
import { useSignal } from '@preact/signals'
import { act } from '../../app/command.js'
import { useDraft } from '../../app/draft.js'
import { useResource } from '../../app/resource.js'
import { hrefOf, narrow, route } from '../../app/route.js'
import { overview, readOverview } from '../../app/store.js'
import { Button, Form } from '../../components/button.js'
import { Card } from '../../components/card.js'
import { SelectField } from '../../components/fields.js'
import { instantInWords } from '../../components/instant.js'
import { linked } from '../../components/links.js'
import { Read } from '../../components/read.js'
import { Loaded, Refusal } from '../../components/states.js'
import { api, type Changes, type ListedScenario, type Overview } from '../../control/client.js'
import { changesInWords } from './changes-words.js'
import { loading, REREAD_MS } from './command.js'
import { LoadDocument } from './load-document.js'
import { Snapshots } from './snapshots.js'
import { givenVariables, type Row, rowsOf } from './variable-values.js'
import { Variables } from './variables.js'

export function ScenarioTab() {
  const resource = useResource(readOverview, '', { once: true, every: REREAD_MS })
  return (
    <Loaded resource={{ ...resource, data: overview.value }}>
      {overview => (
        <>
          <Present overview={overview} />
          <Card id="behaviour-load" title="Load a scenario">
            <Read from={api.scenarios}>{({ data }) => <Choice scenarios={data} loaded={overview.scenario.name} />}</Read>
          </Card>
          <LoadDocument />
          <Snapshots />
        </>
      )}
    </Loaded>
  )
}

const Present = ({ overview: { scenario, seed, clock } }: { overview: Overview }) => (
  <Card
    id="behaviour-loaded"
    title={
      <>
        Loaded: <span class="loaded">{scenario.name}</span>
      </>
    }
  >
    <p class="faint">{scenario.description ?? 'It has no description.'}</p>
    <p>{`Seed ${seed}. The clock ${clock.running ? 'runs' : 'is frozen'} at ${instantInWords(clock.now)}.`}</p>
    <h3 id="behaviour-changed">Changed since the load</h3>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard */}
    <div class="changes" role="region" aria-labelledby="behaviour-changed" tabIndex={0}>
      <Read from={api.changes} every={REREAD_MS}>
        {shownChanges}
      </Read>
    </div>
    <div class="row">
      <Button text="Reset" run={() => act(api.reset(), 'Back to the first state')} />
      <p class="hint">Goes back to the first state: records, keys, ids, clock, script and settings. It clears the journal; snapshots stay.</p>
    </div>
  </Card>
)

function shownChanges(changes: Changes) {
  const lines = changesInWords(changes)
  if (lines.length === 0) return <p class="faint">Nothing has changed.</p>
  return (
    <ul>
      {lines.map(({ text, tab }) => (
        <li key={text}>{linked(text, tab && hrefOf({ path: [tab], query: tab === 'settings' ? { changed: '1' } : {} }))}</li>
      ))}
    </ul>
  )
}

const NOT_LISTED = ''

function Choice({ scenarios, loaded }: { scenarios: readonly ListedScenario[]; loaded: string }) {
  const present = scenarios.find(scenario => titleOf(scenario) === loaded)
  const scenario = scenarios.find(({ name }) => name === route.value.query.scenario) ?? present
  const options = (['scenario', 'fixture'] as const).flatMap(kind =>
    scenarios.filter(scenario => scenario.kind === kind).map(scenario => [scenario.name, optionText(scenario, scenario === present)] as const)
  )
  return (
    <>
      <SelectField
        label="Scenario"
        value={scenario?.name ?? NOT_LISTED}
        options={present !== undefined ? options : [[NOT_LISTED, `${loaded} (loaded, not in this list)`], ...options]}
        onChange={name => narrow({ scenario: name })}
      />
      <p class="description faint">
        {scenario === undefined ? 'It was loaded as a document, or from a file.' : (scenario.description ?? 'It has no description.')}
      </p>
      {scenario !== undefined && <LoadForm key={scenario.name} scenario={scenario} />}
    </>
  )
}

const titleOf = ({ name, title = name }: ListedScenario) => title

const optionText = ({ name, kind, title }: ListedScenario, isLoaded: boolean) =>
  `${name}${title === undefined ? '' : `: ${title}`}${kind === 'fixture' ? ' (fixture)' : ''}${isLoaded ? ' (loaded)' : ''}`

function LoadForm({ scenario: { name, kind, vars } }: { scenario: ListedScenario }) {
  const rows = useSignal<readonly Row[]>(rowsOf(vars))
  const asked = useDraft()
  const refused = asked.refused.value
  const send = (dryRun: boolean) => {
    const values = givenVariables(rows.value)
    const body = { scenario: name, ...(Object.keys(values).length > 0 && { vars: values }) }
    return asked.send(loading(query => api.load(body, query), dryRun))
  }
  return (
    <Form class="stack" send={() => send(false)}>
      {kind === 'scenario' && <Variables rows={rows.value} problems={refused?.problems ?? []} onChange={changed => (rows.value = changed)} />}
      <Refusal error={refused} />
      <div class="row">
        <Button class="primary" text={`Load ${name}`} />
        <Button text="Check only" run={() => send(true)} />
        <p class="hint">A load replaces records, keys, settings, seed, clock and script, and clears the journal. A scenario with a problem replaces nothing.</p>
      </div>
    </Form>
  )
}
