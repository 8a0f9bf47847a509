/** Settings in groups, with their assumptions; those of the sandbox can be changed and set back. */
import { useLayoutEffect } from 'preact/hooks'
import { typedValue } from '../../../../core/typed-value.js'
import { act, useDraft } from '../../app/command.js'
import { useResource } from '../../app/resource.js'
import { inQuery, narrow, route } from '../../app/route.js'
import { Button, Form } from '../../components/button.js'
import { CheckField, Field, SearchField } from '../../components/fields.js'
import { Read } from '../../components/states.js'
import { control, type ShownAssumption } from '../../control/client.js'
import {
  choicesIn,
  groupsOf,
  type Named,
  shownValue,
  sourceInWords,
  textOf
} from './setting-values.js'

export function SettingsTab() {
  const assumptions = useResource(() => control('GET /assumptions')).data?.data
  const { q, changed } = route.value.query
  const isChangedOnly = changed !== undefined
  return (
    <>
      <div class="row">
        <SearchField
          label="Search the settings"
          placeholder="Search settings: pagination, A10, refund"
          {...inQuery('q')}
        />
        <CheckField
          label="Only settings that differ from their default"
          value={isChangedOnly}
          onChange={isOn => narrow({ changed: isOn ? '1' : undefined })}
        />
      </div>
      <Read from={() => control('GET /settings')}>
        {({ settings }) => {
          const groups = groupsOf(settings, q, isChangedOnly)
          if (groups.length === 0) return <p class="faint">No setting matches.</p>
          return groups.map(([name, settings]) => (
            <section key={name} class="card stack" aria-label={name}>
              <h2>{name}</h2>
              {settings.map(setting => (
                <Setting
                  key={setting.key}
                  setting={setting}
                  assumption={assumptions?.find(({ id }) => id === setting.assumption)}
                />
              ))}
            </section>
          ))
        }}
      </Read>
    </>
  )
}

function Setting({
  setting,
  assumption
}: {
  setting: Named
  assumption: ShownAssumption | undefined
}) {
  const { key, about, value, default: fallback, source, scope, flag, variable } = setting
  const isFixed = scope === 'process'
  return (
    <div class="behaviour-setting">
      <div>
        <h3>
          <code>{key}</code>
        </h3>
        <p>{about}</p>
        {assumption && (
          <details>
            <summary>{`${assumption.id}: ${assumption.topic}`}</summary>
            <p>{assumption.default}</p>
          </details>
        )}
      </div>
      <div>
        {isFixed ? <b>{shownValue(value)}</b> : <Editor setting={setting} />}
        <p class="hint">
          {source !== 'default' && (
            <span class={`badge ${source === 'control' ? 'warn' : ''}`}>
              {sourceInWords(setting)}
            </span>
          )}
          {source === 'default' ? 'default' : ` default: ${shownValue(fallback)}`}
          {isFixed && `; given at start by ${flag} or ${variable}`}
        </p>
      </div>
    </div>
  )
}

function Editor({ setting: { key, value, schema, source } }: { setting: Named }) {
  const inForce = textOf(value)
  const { text, write, send, field } = useDraft(inForce)
  useLayoutEffect(() => write(inForce), [inForce])
  const change = () => {
    const typed = text.value.trim()
    return send(
      control('PATCH /settings', { body: { [key]: typedValue(typed, schema) } }),
      `${key} is ${typed || 'none'}`
    )
  }
  const reset = () => act(control('DELETE /settings/NAME', { name: key }), `${key} is reset`)
  const hint = schema.minimum === undefined ? '' : `From ${schema.minimum} to ${schema.maximum}.`
  return (
    <Form class="row aligned" send={change}>
      <Field
        label={`Value of ${key}`}
        isLabelHidden
        options={choicesIn(schema)}
        hint={hint}
        {...field}
      />
      <Button text="Change" label={`Change ${key}`} disabled={text.value === inForce} />
      <Button text="Reset" label={`Reset ${key}`} disabled={source !== 'control'} run={reset} />
    </Form>
  )
}
