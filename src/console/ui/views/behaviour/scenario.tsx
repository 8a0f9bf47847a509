/** The scenario: what is loaded, what has changed since, what else can be loaded and with which variables, a document of one's own, and snapshots. */
import { useSignal } from '@preact/signals'
import { act } from '../../app/command.js'
import { useResource } from '../../app/resource.js'
import { go, hrefOf, route } from '../../app/route.js'
import { overview, readOverview } from '../../app/store.js'
import { SelectField } from '../../components/fields.js'
import { instantInWords } from '../../components/instant.js'
import { Loaded, Refusal } from '../../components/states.js'
import { api, type ControlError, type ListedScenario, type Overview } from '../../control/client.js'
import { changesInWords } from './changes-words.js'
import { load, REREAD_MS } from './command.js'
import { LoadDocument } from './load-document.js'
import { Snapshots } from './snapshots.js'
import { givenVariables, type Row, rowsOf } from './variable-values.js'
import { Variables } from './variables.js'

export function ScenarioTab() {
  const { error, reload } = useResource(readOverview, '', { once: true, every: REREAD_MS })
  return (
    <Loaded resource={{ data: overview.value, error, reload }}>
      {overview => (
        <>
          <Present overview={overview} />
          <Picker loaded={overview.scenario.name} />
          <LoadDocument />
          <Snapshots />
        </>
      )}
    </Loaded>
  )
}

function Present({ overview: { scenario, seed, clock } }: { overview: Overview }) {
  const changes = useResource(api.changes, '', { every: REREAD_MS })
  return (
    <section class="card" aria-labelledby="behaviour-loaded">
      <h2 id="behaviour-loaded">
        Loaded: <span class="behaviour-name">{scenario.name}</span>
      </h2>
      <p class="faint">{scenario.description ?? 'It has no description.'}</p>
      <p>
        Seed {seed}. The clock {clock.running ? 'runs' : 'is frozen'} at {instantInWords(clock.now)}.
      </p>
      <h3 id="behaviour-changed">Changed since the load</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard */}
      <div class="behaviour-changes" role="region" aria-labelledby="behaviour-changed" tabIndex={0}>
        <Loaded resource={changes}>
          {changes => {
            const lines = changesInWords(changes)
            if (lines.length === 0) return <p class="faint">Nothing has changed.</p>
            return (
              <ul>
                {lines.map(({ text, tab }) => (
                  <li key={text}>
                    {tab === undefined ? text : <a href={hrefOf({ path: [tab], query: tab === 'settings' ? { changed: '1' } : {} })}>{text}</a>}
                  </li>
                ))}
              </ul>
            )
          }}
        </Loaded>
      </div>
      <div class="row">
        <button type="button" onClick={() => void act(api.reset, 'Back to the first state')}>
          Reset
        </button>
        <p class="hint">Goes back to the first state: records, keys, ids, clock, script and settings. It clears the journal; snapshots stay.</p>
      </div>
    </section>
  )
}

const NOT_LISTED = ''

function Picker({ loaded }: { loaded: string }) {
  const scenarios = useResource(api.scenarios)
  return (
    <section class="card" aria-labelledby="behaviour-load">
      <h2 id="behaviour-load">Load a scenario</h2>
      <Loaded resource={scenarios}>{({ data }) => <Choice scenarios={data} loaded={loaded} />}</Loaded>
    </section>
  )
}

function Choice({ scenarios, loaded }: { scenarios: readonly ListedScenario[]; loaded: string }) {
  const { query, path } = route.value
  const present = scenarios.find(scenario => titleOf(scenario) === loaded)
  const scenario = scenarios.find(({ name }) => name === query.scenario) ?? present
  const options = (['scenario', 'fixture'] as const).flatMap(kind =>
    scenarios.filter(scenario => scenario.kind === kind).map(scenario => [scenario.name, optionText(scenario, scenario === present)] as const)
  )
  return (
    <>
      <SelectField
        label="Scenario"
        value={scenario?.name ?? NOT_LISTED}
        options={present !== undefined ? options : [[NOT_LISTED, `${loaded} (loaded, not in this list)`], ...options]}
        onChange={name => go({ path, query: { ...query, scenario: name } }, { replace: true })}
      />
      <p class="behaviour-description">
        {scenario === undefined ? 'It was loaded as a document, or from a file.' : (scenario.description ?? 'It has no description.')}
      </p>
      {scenario !== undefined && <LoadForm key={scenario.name} scenario={scenario} />}
    </>
  )
}

/** What a scenario is called once it is loaded. */
const titleOf = ({ name, title = name }: ListedScenario) => title

const optionText = ({ name, kind, title }: ListedScenario, isLoaded: boolean) =>
  `${name}${title === undefined ? '' : `: ${title}`}${kind === 'fixture' ? ' (fixture)' : ''}${isLoaded ? ' (loaded)' : ''}`

function LoadForm({ scenario: { name, kind, vars } }: { scenario: ListedScenario }) {
  const rows = useSignal<readonly Row[]>(rowsOf(vars))
  const refused = useSignal<ControlError | null>(null)
  const send = async (dryRun: boolean) => {
    const values = givenVariables(rows.value)
    const body = { scenario: name, ...(Object.keys(values).length > 0 && { vars: values }) }
    refused.value = await load(query => api.load(body, query), { dryRun })
  }
  return (
    <form
      class="behaviour-form"
      onSubmit={event => {
        event.preventDefault()
        void send(false)
      }}
    >
      {kind === 'scenario' && (
        <Variables
          rows={rows.value}
          problems={refused.value?.problems ?? []}
          onChange={changed => {
            rows.value = changed
          }}
        />
      )}
      <Refusal error={refused.value} />
      <div class="row">
        <button type="submit" class="primary">
          Load {name}
        </button>
        <button type="button" onClick={() => void send(true)}>
          Check only
        </button>
        <p class="hint">A load replaces records, keys, settings, seed, clock and script, and clears the journal. A scenario with a problem replaces nothing.</p>
      </div>
    </form>
  )
}
