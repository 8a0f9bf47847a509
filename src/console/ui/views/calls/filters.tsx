/** What the list of calls is narrowed by; all of it is in the address. */
import { useSignal } from '@preact/signals'
import { OPERATION_NAMES } from '../../../../reference/operations.js'
import { RULE_IDS, RULES } from '../../../../reference/rules.js'
import { inQuery, narrow, route } from '../../app/route.js'
import { Button } from '../../components/button.js'
import { type Options, SearchField, SelectField } from '../../components/fields.js'
import { KINDS } from './call-list.js'

const STATUSES = ['2xx', '4xx', '5xx', '200', '201', '204', '400', '401', '402', '403', '404', '405', '415', '429', '500', '501', '503']
const RULE_OPTIONS = RULE_IDS.map(id => [id, `${id}  ${RULES[id].text}`] as const)
const KIND_OPTIONS = Object.entries(KINDS).map(([name, { title }]) => [name, title] as const)

/** `tests` are the names that calls carry. */
export function Filters({ tests }: { tests: readonly string[] }) {
  const { status, test } = route.value.query
  const isOpen = useSignal(false)
  /** The chosen name need not be among them. */
  const withChosen = (names: readonly string[], chosen = '') => [...new Set([...names, ...(chosen === '' ? [] : [chosen])])]
  const choices: readonly (readonly [part: string, label: string, options: Options, all?: string])[] = [
    ['in', 'Sandboxes', [['all', 'All']], 'This one'],
    ['kind', 'Outcome', KIND_OPTIONS],
    ['status', 'Status', withChosen(STATUSES, status)],
    ['on', 'Operation', OPERATION_NAMES],
    ['rule', 'Rule', RULE_OPTIONS],
    ['test', 'Test', withChosen(tests, test)]
  ]
  const count = choices.filter(([part]) => route.value.query[part]).length
  return (
    <search class="call-filters row">
      <SearchField label="Search" placeholder="Search calls" {...inQuery('q')} />
      <Button class="more" text={`Filters${count === 0 ? '' : ` (${count})`}`} aria-expanded={isOpen.value} run={() => (isOpen.value = !isOpen.value)} />
      <div class={`choices ${isOpen.value ? 'open' : ''}`}>
        {choices.map(([part, label, options, all = 'All']) => (
          <SelectField key={part} label={label} options={[['', all], ...options]} {...inQuery(part)} />
        ))}
        {count > 0 && <Button class="quiet" text="Show all" run={() => narrow({ q: '', ...Object.fromEntries(choices.map(([part]) => [part, ''])) })} />}
      </div>
    </search>
  )
}
