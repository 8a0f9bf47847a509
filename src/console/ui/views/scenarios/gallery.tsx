/** What is loaded, what has changed since, and what else can be loaded. */
import { useSignal } from '@preact/signals'
import { reset, useDraft } from '../../app/command.js'
import { go, hrefOf, inQuery, narrowed, route } from '../../app/route.js'
import { overview, readOverview } from '../../app/store.js'
import { Button, ButtonLink } from '../../components/button.js'
import { CodeBlock } from '../../components/code.js'
import { Dialog } from '../../components/dialog.js'
import { bound, Field, SearchField } from '../../components/fields.js'
import { instantInWords } from '../../components/instant.js'
import { Card, Scroll } from '../../components/layout.js'
import { linked } from '../../components/links.js'
import { Empty, Read, Refusal } from '../../components/states.js'
import {
  type Changes,
  control,
  controlText,
  type ListedScenario,
  type Overview
} from '../../control/client.js'
import { matches } from '../data/records.js'
import { changesInWords } from './changes-words.js'
import { check, loadWith, REREAD_MS, titleOf } from './command.js'
import { Snapshots } from './snapshots.js'
import { givenVariables } from './variable-values.js'

export const Gallery = () => (
  <>
    <div class="halves">
      <Read from={readOverview} once every={REREAD_MS}>
        {() => overview.value && <Present overview={overview.value} />}
      </Read>
      <Snapshots />
    </div>
    <SearchField label="Search scenarios" {...inQuery('q')} />
    <Read from={() => control('GET /scenarios')}>{({ data }) => <Cards scenarios={data} />}</Read>
  </>
)

const Present = ({ overview: { scenario, seed, clock } }: { overview: Overview }) => (
  <Card id="scenario-loaded" title={`Loaded: ${scenario.name}`}>
    <p class="faint">
      {scenario.description ?? 'It has no description.'}{' '}
      {`Seed ${seed}. The clock ${clock.running ? 'runs' : 'is frozen'} at ${instantInWords(clock.now)}.`}
    </p>
    <div class="row">
      <Button class="small" icon="reset" text="Reset the state" run={reset} />
      <ButtonLink
        icon="edit"
        text="Edit the state as a scenario"
        href={hrefOf({ path: ['editor'], query: { from: 'state' } })}
      />
    </div>
    <Scroll class="changes" label="Changed since the load">
      <h3>Changed since the load</h3>
      <Read from={() => control('GET /changes')} every={REREAD_MS}>
        {shownChanges}
      </Read>
    </Scroll>
  </Card>
)

function shownChanges(changes: Changes) {
  const lines = changesInWords(changes)
  if (lines.length === 0) return <p class="faint">Nothing has changed.</p>
  return (
    <ul>
      {lines.map(({ text, tab }) => (
        <li key={text}>
          {linked(
            text,
            tab &&
              hrefOf({
                view: 'behaviour',
                path: [tab],
                query: tab === 'settings' ? { changed: '1' } : {}
              })
          )}
        </li>
      ))}
    </ul>
  )
}

function Cards({ scenarios }: { scenarios: readonly ListedScenario[] }) {
  const { scenario: chosen, q = '' } = route.value.query
  const shown = scenarios.filter(({ name, title, description }) =>
    matches([name, title, description], q)
  )
  const open = scenarios.find(({ name }) => name === chosen)
  if (shown.length === 0) return <Empty title="No scenario matches." icon="search" />
  return (
    <>
      <ul class="gallery">
        {shown.map(scenario => (
          <li key={`${scenario.kind} ${scenario.name}`}>
            <a class="card stack" href={hrefOf(narrowed({ scenario: scenario.name }))}>
              <span class="row">
                <b>{titleOf(scenario)}</b>
                {scenario.kind === 'fixture' && <span class="badge">records only</span>}
                {titleOf(scenario) === overview.value?.scenario.name && (
                  <span class="badge good">loaded</span>
                )}
              </span>
              <span class="faint">{scenario.description ?? 'It has no description.'}</span>
            </a>
          </li>
        ))}
      </ul>
      {open && (
        <LoadDialog
          key={open.name}
          scenario={open}
          onClose={() => go(narrowed({ scenario: undefined }), { replace: true })}
        />
      )}
    </>
  )
}

function LoadDialog({ scenario, onClose }: { scenario: ListedScenario; onClose: () => void }) {
  const { name, kind, vars = {}, description } = scenario
  const typed = useSignal<Readonly<Record<string, string>>>({})
  const more = useSignal('')
  const asked = useDraft()
  const { text, refused } = asked
  const given = () => ({
    body: { scenario: name, vars: givenVariables(vars, typed.value, more.value) }
  })
  const actions = (
    <>
      <ButtonLink
        class=""
        icon="edit"
        text="Edit a copy"
        href={hrefOf({ path: ['editor'], query: { from: `./${name}` } })}
      />
      <Button text="Check only" run={() => check(asked, given())} />
      <Button class="primary" text={`Load ${name}`} />
    </>
  )
  return (
    <Dialog
      wide
      title={titleOf(scenario)}
      onClose={onClose}
      send={() => loadWith(asked, given())}
      actions={actions}
    >
      <p>{description ?? 'It has no description.'}</p>
      <Read from={() => controlText('GET /scenarios/NAME', { name })} once>
        {text => <CodeBlock text={text} label={`Document of ${name}`} />}
      </Read>
      {kind === 'scenario' && (
        <>
          <div class="fields">
            {Object.entries(vars).map(([name, fallback]) => (
              <Field
                key={name}
                label={name}
                hint={`${typeof fallback === 'number' ? 'A number. ' : ''}Default: ${fallback}`}
                options={typeof fallback === 'boolean' ? ['true', 'false'] : null}
                value={typed.value[name] ?? String(fallback)}
                error={refused.value?.problems.find(({ path }) => path === `vars.${name}`)?.message}
                onChange={value => (typed.value = { ...typed.value, [name]: value })}
              />
            ))}
          </div>
          <details>
            <summary>Variables of files that it uses</summary>
            <Field
              label="Variables"
              hint={'One per line: count=5, or last4="0341" for a text of digits.'}
              rows={2}
              {...bound(more)}
            />
          </details>
        </>
      )}
      <Refusal error={refused.value} />
      <p class="hint" role="status">
        {text.value ||
          'A load replaces records, keys, settings, seed, clock and script, and clears the journal. It can be undone, but for the journal.'}
      </p>
    </Dialog>
  )
}
