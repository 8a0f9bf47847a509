/**
 * What the list of requests is narrowed by: a search, and chips that write its terms. All of it is
 * in the address.
 */
import type { ComponentChildren } from 'preact'
import { OPERATION_NAMES } from '../../../../reference/operations.js'
import { RULE_IDS, RULES } from '../../../../reference/rules.js'
import { hrefOf, inQuery, narrow, narrowed, route } from '../../app/route.js'
import { Field, type Options, SearchField } from '../../components/fields.js'
import { Icon, type IconName } from '../../components/icon.js'
import { queryIn, TERMS, termIn, withTerm } from './query.js'
import { list } from './requests.js'

const RULE_OPTIONS = RULE_IDS.map(id => [id, `${id}  ${RULES[id].text}`] as const)
const KINDS: readonly [name: string, value: string, text: string, icon?: IconName][] = [
  ['is', 'refused', 'Refused', 'refused'],
  ['is', 'lost', 'No response', 'lost'],
  ['is', 'scripted', 'Scripted', 'scripted'],
  ['status', '2xx', '2xx'],
  ['status', '4xx', '4xx'],
  ['status', '5xx', '5xx']
]

/** `children` is what can be done with the requests that are found. */
export function Filters({ count, children }: { count: string; children: ComponentChildren }) {
  const { q = '' } = route.value.query
  const query = queryIn(q)
  // the chosen name need not be among those of the requests
  const tests = new Set([
    termIn(query, 'test'),
    ...list.value.rows.map(({ call }) => call.test ?? '')
  ])
  const choices: readonly (readonly [
    name: string,
    label: string,
    options: Options,
    all: string
  ])[] = [
    ['on', 'Operation', OPERATION_NAMES, 'Operation'],
    ['rule', 'Rule', RULE_OPTIONS, 'Rule'],
    ['test', 'Test', [...tests].filter(Boolean).slice(0, 200), 'Test'],
    ['in', 'Sandboxes', [['all', 'All sandboxes']], 'This sandbox']
  ]
  return (
    <search class="stack">
      <div class="row whole-row">
        <SearchField
          label="Search requests"
          placeholder="Search: status:4xx rule:REF-7 took:no"
          list={TERMS.map(name => `${name}:`)}
          {...inQuery('q')}
        />
        {children}
      </div>
      <div class="chips filters">
        <p class="faint">{count}</p>
        {KINDS.map(([name, value, text, icon]) => {
          const isChosen = termIn(query, name) === value
          return (
            <a
              key={text}
              class="chip"
              href={hrefOf(narrowed({ q: withTerm(q, name, isChosen ? '' : value) }))}
              aria-current={isChosen ? 'true' : undefined}
            >
              {icon && <Icon name={icon} />}
              {text}
            </a>
          )
        })}
        {choices.map(([name, label, options, all]) => (
          <Field
            key={name}
            label={label}
            isLabelHidden
            options={[['', all], ...options]}
            value={termIn(query, name)}
            onChange={value => narrow({ q: withTerm(q, name, value) })}
          />
        ))}
        {q !== '' && (
          <a class="chip" href={hrefOf(narrowed({ q: undefined }))}>
            <Icon name="close" />
            Show all
          </a>
        )}
      </div>
    </search>
  )
}
