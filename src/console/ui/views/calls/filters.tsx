/** What the list of calls is narrowed by; all of it is in the address. */
import { useSignal } from '@preact/signals'
import { OPERATION_NAMES } from '../../../../reference/operations.js'
import { RULE_IDS, RULES } from '../../../../reference/rules.js'
import { go, route } from '../../app/route.js'
import { SelectField, TextField } from '../../components/fields.js'
import { KINDS } from './call-list.js'

/** Changes a part of the query, and leaves no step in the history. */
export function narrow(change: Readonly<Record<string, string>>): void {
  go({ path: route.value.path, query: { ...route.value.query, ...change } }, { replace: true })
}

const ALL: readonly [string, string] = ['', 'All']
const named = (names: Iterable<string>): [string, string][] => [...names].map(name => [name, name])
const STATUSES = ['2xx', '4xx', '5xx', '200', '201', '204', '400', '401', '402', '403', '404', '405', '415', '429', '500', '501', '503']
const RULE_OPTIONS = RULE_IDS.map(id => [id, `${id}  ${RULES[id].text}`] as const)

/** `tests` are the names that calls carry. */
export function Filters({ tests }: { tests: readonly string[] }) {
  const { q = '', on = '', status = '', rule = '', kind = '', test = '', in: scope = '' } = route.value.query
  const isOpen = useSignal(false)
  const count = [on, status, rule, kind, test, scope].filter(Boolean).length
  const statuses = new Set([...STATUSES, ...(status === '' ? [] : [status])])
  return (
    <search class="call-filters">
      <TextField label="Search" isLabelHidden type="search" placeholder="Search calls" shortcut="/" value={q} onChange={value => narrow({ q: value })} />
      <button type="button" class="more" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
        Filters{count === 0 ? '' : ` (${count})`}
      </button>
      <div class={`choices ${isOpen.value ? 'open' : ''}`}>
        <SelectField
          label="Sandboxes"
          value={scope}
          onChange={value => narrow({ in: value })}
          options={[
            ['', 'This one'],
            ['all', 'All']
          ]}
        />
        <SelectField
          label="Outcome"
          value={kind}
          onChange={value => narrow({ kind: value })}
          options={[ALL, ...Object.entries(KINDS).map(([name, { title }]) => [name, title] as const)]}
        />
        <SelectField label="Status" value={status} onChange={value => narrow({ status: value })} options={[ALL, ...named(statuses)]} />
        <SelectField label="Operation" value={on} onChange={value => narrow({ on: value })} options={[ALL, ...named(OPERATION_NAMES)]} />
        <SelectField label="Rule" value={rule} onChange={value => narrow({ rule: value })} options={[ALL, ...RULE_OPTIONS]} />
        <SelectField
          label="Test"
          value={test}
          onChange={value => narrow({ test: value })}
          options={[ALL, ...named(new Set([...tests, ...(test === '' ? [] : [test])]))]}
        />
        {count > 0 && (
          <button type="button" class="quiet" onClick={() => narrow({ q: '', on: '', status: '', rule: '', kind: '', test: '', in: '' })}>
            Show all
          </button>
        )}
      </div>
    </search>
  )
}
