/** The scenarios and fixtures that can be loaded. */
import { useSignal } from '@preact/signals'
import { useDraft } from '../../app/command.js'
import { go, hrefOf, inQuery, narrowed, route } from '../../app/route.js'
import { overview } from '../../app/store.js'
import { Button, ButtonLink } from '../../components/button.js'
import { CodeBlock } from '../../components/code.js'
import { Dialog } from '../../components/dialog.js'
import { Field, SearchField } from '../../components/fields.js'
import { Empty, Read, Refusal } from '../../components/states.js'
import { control, controlText, type ListedScenario } from '../../control/client.js'
import { matches } from '../data/records.js'
import { check, loadWith, titleOf } from './command.js'
import { givenVariables } from './variable-values.js'

export const Library = () => (
  <>
    <SearchField label="Search scenarios" {...inQuery('q')} />
    <Read from={() => control('GET /scenarios')}>{({ data }) => <Cards scenarios={data} />}</Read>
  </>
)

function Cards({ scenarios }: { scenarios: readonly ListedScenario[] }) {
  const { scenario: chosen, q = '' } = route.value.query
  const shown = scenarios.filter(({ name, title, description }) =>
    matches([name, title, description], q)
  )
  const open = scenarios.find(({ name }) => name === chosen)
  if (shown.length === 0) return <Empty title="No matching scenarios" icon="search" />
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
              <span class="faint">{scenario.description ?? 'No description.'}</span>
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
  const { name, vars = {}, description } = scenario
  const typed = useSignal<Readonly<Record<string, string>>>({})
  const asked = useDraft()
  const { text, refused } = asked
  const given = () => ({ body: { scenario: name, vars: givenVariables(vars, typed.value) } })
  const actions = (
    <>
      <ButtonLink
        class=""
        icon="scenario"
        text="Edit a copy"
        href={hrefOf({ path: ['editor'], query: { from: `./${name}` } })}
      />
      <Button text="Check" run={() => check(asked, given())} />
      <Button class="primary" text="Load scenario" />
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
      <p>{description ?? 'No description.'}</p>
      <Read from={() => controlText('GET /scenarios/NAME', { name })} once>
        {text => <CodeBlock text={text} label={`Document of ${name}`} />}
      </Read>
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
      <Refusal error={refused.value} />
      <p class="hint" role="status">
        {text.value ||
          'Replaces records, keys, settings, seed, clock and script. You can undo this, except the cleared request log.'}
      </p>
    </Dialog>
  )
}
