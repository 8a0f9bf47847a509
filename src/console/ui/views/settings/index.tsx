/** Settings; those of the sandbox can be changed and reset. */
import { useLayoutEffect } from 'preact/hooks'
import { typedValue } from '../../../../core/typed-value.js'
import { act, useDraft } from '../../app/command.js'
import { hrefOf, inQuery, route } from '../../app/route.js'
import { Button, Field, Form, SearchField } from '../../components/controls.js'
import { Empty, Read } from '../../components/layout.js'
import { linked } from '../../components/links.js'
import { control } from '../../control/client.js'
import {
  choicesIn,
  groupsOf,
  type Named,
  shownValue,
  sourceInWords,
  textOf
} from './setting-values.js'

export function Page() {
  return (
    <section class="page">
      <SearchField
        label="Search settings"
        placeholder="Search: pagination, A10, changed here"
        {...inQuery('q')}
      />
      <Read from={() => control('GET /settings')}>
        {({ settings }) => {
          const groups = groupsOf(settings, route.value.query.q)
          if (groups.length === 0) return <Empty icon="search" title="No matching settings" />
          return groups.map(([name, settings]) => (
            <section key={name} class="settings" aria-label={name}>
              <h2>{name}</h2>
              <ul class="lines">
                {settings.map(setting => (
                  <Setting key={setting.key} setting={setting} />
                ))}
              </ul>
            </section>
          ))
        }}
      </Read>
    </section>
  )
}

function Setting({ setting }: { setting: Named }) {
  const { key, about, value, source, scope, flag, variable, assumption } = setting
  const isFixed = scope === 'process'
  return (
    <li class="setting">
      <div>
        <code>{key}</code>
        <p class="hint">
          {about.replaceAll('`', '')}{' '}
          {assumption && linked(assumption, hrefOf({ view: 'evidence', path: ['assumptions'] }))}
        </p>
      </div>
      {isFixed ? (
        <code title={`Set at start by ${flag} or ${variable}`}>{shownValue(value)}</code>
      ) : (
        <Editor setting={setting} />
      )}
      <span
        class={`hint ${source === 'control' ? 'warn' : ''}`}
        title={`Default: ${shownValue(setting.default)}`}
      >
        {sourceInWords(setting)}
      </span>
    </li>
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
  const isEdited = text.value !== inForce
  return (
    <Form class="row aligned" send={change}>
      <Field label={`Value of ${key}`} isLabelHidden options={choicesIn(schema)} {...field} />
      {isEdited && <Button class="primary" text="Change" label={`Change ${key}`} />}
      {!isEdited && source === 'control' && (
        <Button text="Reset" label={`Reset ${key}`} run={reset} />
      )}
    </Form>
  )
}
