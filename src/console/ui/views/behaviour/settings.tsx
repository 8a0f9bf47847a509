/** Settings in groups: the value of each, where it comes from, and the assumption that it belongs to; those of the sandbox can be changed and set back. */
import { useRef } from 'preact/hooks'
import { act } from '../../app/command.js'
import { useResource } from '../../app/resource.js'
import { go, route } from '../../app/route.js'
import { CheckField, SelectField, TextField } from '../../components/fields.js'
import { Loaded } from '../../components/states.js'
import { api, type ShownAssumption } from '../../control/client.js'
import { choicesIn, type Group, groupsOf, type Named, rangeIn, shownValue, sourceInWords, textOf, valueIn } from './setting-values.js'
import { useTyped } from './typed.js'

type Assumptions = ReadonlyMap<string, ShownAssumption>

export function SettingsTab() {
  const settings = useResource(api.settings)
  const assumptions = useResource(api.assumptions)
  const { path, query } = route.value
  const filter = { text: query.q, isChangedOnly: query.changed !== undefined }
  const narrow = (part: Readonly<Record<string, string | undefined>>) => go({ path, query: { ...query, ...part } }, { replace: true })
  return (
    <>
      <div class="row behaviour-filter">
        <TextField
          label="Search the settings"
          isLabelHidden
          type="search"
          shortcut="/"
          value={query.q ?? ''}
          placeholder="Search settings: pagination, A10, refund"
          onChange={q => narrow({ q: q === '' ? undefined : q })}
        />
        <CheckField
          label="Only those that are not at their default"
          value={filter.isChangedOnly}
          onChange={isOn => narrow({ changed: isOn ? '1' : undefined })}
        />
      </div>
      <Loaded resource={settings}>
        {({ settings }) => {
          const groups = groupsOf(settings, filter)
          const known = new Map(assumptions.data?.data.map(assumption => [assumption.id, assumption]))
          if (groups.length === 0) return <p class="faint">No setting matches.</p>
          return (
            <>
              {groups.map(group => (
                <SettingsGroup key={`${group.name} ${group.isFixed}`} group={group} assumptions={known} />
              ))}
            </>
          )
        }}
      </Loaded>
    </>
  )
}

function SettingsGroup({ group: { name, isFixed, settings }, assumptions }: { group: Group; assumptions: Assumptions }) {
  return (
    <section class="card" aria-label={isFixed ? `${name}, given at start` : name}>
      <h2>
        {name} {isFixed && <span class="badge">given at start</span>}
      </h2>
      {settings.map(setting => (
        <Setting key={setting.key} setting={setting} assumption={assumptions.get(setting.assumption ?? '')} />
      ))}
    </section>
  )
}

function Setting({ setting, assumption }: { setting: Named; assumption: ShownAssumption | undefined }) {
  const { key, about, value, default: fallback, source, scope, flag, variable } = setting
  return (
    <div class="behaviour-setting">
      <div>
        <h3>
          <code>{key}</code>
        </h3>
        <p>{about}</p>
        {assumption !== undefined && (
          <details>
            <summary>
              {assumption.id}: {assumption.topic}
            </summary>
            <p>{assumption.default}</p>
          </details>
        )}
      </div>
      <div>
        {scope === 'process' ? (
          <p>
            <b>{shownValue(value)}</b>
          </p>
        ) : (
          <Editor setting={setting} />
        )}
        <p class="hint">
          {source === 'default' ? (
            'default'
          ) : (
            <>
              <span class={`badge ${source === 'control' ? 'warn' : ''}`}>{sourceInWords(setting)}</span> default: {shownValue(fallback)}
            </>
          )}
          {scope === 'process' && (
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
  const typed = useTyped(inForce)
  const shown = useRef(inForce)
  if (shown.current !== inForce) {
    shown.current = inForce
    typed.write(inForce)
  }
  const { text, send, field } = typed
  const choices = choicesIn(schema)
  const label = { label: `Value of ${key}`, isLabelHidden: true }
  return (
    <form
      class="row behaviour-aligned"
      onSubmit={event => {
        event.preventDefault()
        void send(() => api.changeSettings({ [key]: valueIn(text.value, schema) }), `${key} is ${text.value === '' ? 'none' : text.value}`)
      }}
    >
      {choices === null ? (
        <TextField {...label} hint={rangeIn(schema)} {...field} />
      ) : (
        <SelectField {...label} options={choices.map(choice => [choice, choice] as const)} {...field} />
      )}
      <button type="submit" disabled={text.value === inForce} aria-label={`Change ${key}`}>
        Change
      </button>
      <button
        type="button"
        disabled={source !== 'control'}
        aria-label={`Set back ${key}`}
        onClick={() => void act(() => api.unsetSetting(key), `${key} is set back`)}
      >
        Set back
      </button>
    </form>
  )
}
