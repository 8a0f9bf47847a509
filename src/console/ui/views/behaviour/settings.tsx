/** Settings in groups, with their assumptions; those of the sandbox can be changed and set back. */
import { useRef } from 'preact/hooks'
import { act, useDraft } from '../../app/command.js'
import { useResource } from '../../app/resource.js'
import { inQuery, narrow, route } from '../../app/route.js'
import { Button, Form } from '../../components/button.js'
import { CheckField, ChoiceField, SearchField } from '../../components/fields.js'
import { Read } from '../../components/states.js'
import { api, type ShownAssumption } from '../../control/client.js'
import { choicesIn, type Group, groupsOf, type Named, rangeIn, shownValue, sourceInWords, textOf, valueIn } from './setting-values.js'

type Assumptions = ReadonlyMap<string, ShownAssumption>

export function SettingsTab() {
  const assumptions = useResource(api.assumptions)
  const { q, changed } = route.value.query
  const filter = { text: q, isChangedOnly: changed !== undefined }
  return (
    <>
      <div class="row">
        <SearchField label="Search the settings" placeholder="Search settings: pagination, A10, refund" {...inQuery('q')} />
        <CheckField
          label="Only settings that differ from their default"
          value={filter.isChangedOnly}
          onChange={isOn => narrow({ changed: isOn ? '1' : undefined })}
        />
      </div>
      <Read from={api.settings}>
        {({ settings }) => {
          const groups = groupsOf(settings, filter)
          const known = new Map(assumptions.data?.data.map(assumption => [assumption.id, assumption]))
          if (groups.length === 0) return <p class="faint">No setting matches.</p>
          return groups.map(group => <SettingsGroup key={`${group.name} ${group.isFixed}`} group={group} assumptions={known} />)
        }}
      </Read>
    </>
  )
}

const SettingsGroup = ({ group: { name, isFixed, settings }, assumptions }: { group: Group; assumptions: Assumptions }) => (
  <section class="card stack" aria-label={isFixed ? `${name}, given at start` : name}>
    <h2>
      {name} {isFixed && <span class="badge">given at start</span>}
    </h2>
    {settings.map(setting => (
      <Setting key={setting.key} setting={setting} assumption={assumptions.get(setting.assumption ?? '')} />
    ))}
  </section>
)

function Setting({ setting, assumption }: { setting: Named; assumption: ShownAssumption | undefined }) {
  const { key, about, value, default: fallback, source, scope, flag, variable } = setting
  const isFixed = scope === 'process'
  return (
    <div class="behaviour-setting">
      <div>
        <h3>
          <code>{key}</code>
        </h3>
        <p>{about}</p>
        {assumption !== undefined && (
          <details>
            <summary>{`${assumption.id}: ${assumption.topic}`}</summary>
            <p>{assumption.default}</p>
          </details>
        )}
      </div>
      <div>
        {isFixed ? <b>{shownValue(value)}</b> : <Editor setting={setting} />}
        <p class="hint">
          {source !== 'default' && <span class={`badge ${source === 'control' ? 'warn' : ''}`}>{sourceInWords(setting)}</span>}
          {source === 'default' ? 'default' : ` default: ${shownValue(fallback)}`}
          {isFixed && (
            <>
              ; <code>{flag}</code> or <code>{variable}</code>
            </>
          )}
        </p>
      </div>
    </div>
  )
}

function Editor({ setting: { key, value, schema, source } }: { setting: Named }) {
  const inForce = textOf(value)
  const typed = useDraft(inForce)
  const { text, write, send } = typed
  const shown = useRef(inForce)
  if (shown.current !== inForce) {
    shown.current = inForce
    write(inForce)
  }
  const change = () => send(api.changeSettings({ [key]: valueIn(text.value, schema) }), `${key} is ${text.value === '' ? 'none' : text.value}`)
  const field = { label: `Value of ${key}`, isLabelHidden: true, ...typed.field }
  return (
    <Form class="row aligned" send={change}>
      <ChoiceField options={choicesIn(schema)} hint={rangeIn(schema)} {...field} />
      <Button text="Change" label={`Change ${key}`} disabled={text.value === inForce} />
      <Button text="Reset" label={`Reset ${key}`} disabled={source !== 'control'} run={() => act(api.unsetSetting(key), `${key} is reset`)} />
    </Form>
  )
}
