/** Fields for the variables that a scenario declares, and a text for those of files that it uses. */
import type { Signal } from '@preact/signals'
import { AreaField, bound, ChoiceField } from '../../components/fields.js'
import type { ListedScenario, Problem } from '../../control/client.js'
import type { Typed } from './variable-values.js'

type Props = { declared: ListedScenario['vars']; typed: Signal<Typed>; more: Signal<string>; problems: readonly Problem[] }

export const Variables = ({ declared = {}, typed, more, problems }: Props) => (
  <>
    <div class="fields">
      {Object.entries(declared).map(([name, fallback]) => (
        <ChoiceField
          key={name}
          label={name}
          hint={`${typeof fallback === 'number' ? 'A number. ' : ''}Default: ${fallback}`}
          options={typeof fallback === 'boolean' ? ['true', 'false'] : null}
          value={typed.value[name] ?? ''}
          error={problems.find(({ path }) => path === `vars.${name}`)?.message}
          onChange={value => (typed.value = { ...typed.value, [name]: value })}
        />
      ))}
    </div>
    <details>
      <summary>Variables of files that it uses</summary>
      <AreaField label="Variables" hint={'One per line: count=5, or last4="0341" for a text of digits.'} rows={2} {...bound(more)} />
    </details>
  </>
)
