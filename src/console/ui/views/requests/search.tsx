/**
 * What the list of requests is narrowed by: a search, and what writes its terms. All of it is in the
 * address.
 */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { OPERATION_NAMES } from '../../../../reference/operations.js'
import { RULE_IDS, RULES } from '../../../../reference/rules.js'
import { inQuery, narrow, narrowed, route } from '../../app/route.js'
import { Button, Field, Menu, type Options, SearchField } from '../../components/controls.js'
import { Choices } from '../../components/links.js'
import { queryIn, TERMS, termIn, unknownIn, withTerm } from './query.js'
import { list } from './requests.js'

const RULE_OPTIONS = RULE_IDS.map(id => [id, `${id}  ${RULES[id].text}`] as const)
const KINDS = { '': 'All', refused: 'Refused', lost: 'No response', scripted: 'Scripted' }

export function Search({ count, children }: { count: string; children: ComponentChildren }) {
  const { q = '' } = route.value.query
  const query = queryIn(q)
  const unknown = unknownIn(query)
  const kinds = Object.entries(KINDS).map(
    ([kind, text]) => [kind, text, narrowed({ q: withTerm(q, 'is', kind) })] as const
  )
  return (
    <search class="stack">
      <div class="row">
        <Terms q={q} />
        <div class="row filters">
          <Choices label="Which requests" choices={kinds} chosen={termIn(query, 'is')} />
          <Filter q={q} />
        </div>
      </div>
      <div class="row">
        <p class="faint" role="status">
          {count}
        </p>
        {unknown.map(([part, why]) => (
          <p key={part} class="hint">
            <u>{part}</u> {why}.
          </p>
        ))}
        <div class="row end">{children}</div>
      </div>
    </search>
  )
}

function Terms({ q }: { q: string }) {
  const isOpen = useSignal(false)
  const begun = q.split(' ').at(-1) ?? ''
  const shown = Object.entries(TERMS)
    .map(([name, { example, finds }]) => [`${name}:${example}`, finds] as const)
    .filter(([term]) => term.startsWith(begun) && term !== begun)
  const write = (term: string) => {
    const before = q.slice(0, q.length - begun.length)
    narrow({ q: `${before}${term}` })
    isOpen.value = false
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it follows the focus within
    <div
      class="grow menu"
      onFocusIn={() => (isOpen.value = true)}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        isOpen.value = currentTarget.contains(relatedTarget as Node | null)
      }}
      onKeyDown={({ key }) => {
        if (key === 'Escape' || key === 'ArrowDown') isOpen.value = false
      }}
    >
      <SearchField
        label="Search requests"
        placeholder="Search, or status:4xx rule:REF-7"
        {...inQuery('q')}
      />
      {isOpen.value && shown.length > 0 && (
        <div class="items terms" role="group" aria-label="Search terms">
          {shown.map(([term, finds]) => (
            <Button
              key={term}
              text={[
                <code key="term">{term}</code>,
                <span key="finds" class="faint">
                  {finds}
                </span>
              ]}
              run={() => write(term)}
            />
          ))}
        </div>
      )}
    </div>
  )
}

function Filter({ q }: { q: string }) {
  const query = queryIn(q)
  const tests = new Set([
    termIn(query, 'test'),
    ...list.value.rows.map(({ call }) => call.test ?? '')
  ])
  const choices: readonly (readonly [name: string, label: string, options: Options])[] = [
    ['status', 'Status', ['2xx', '4xx', '5xx']],
    ['on', 'Operation', OPERATION_NAMES],
    ['rule', 'Rule', RULE_OPTIONS],
    ['test', 'Test', [...tests].filter(Boolean).slice(0, 200)]
  ]
  return (
    <Menu text="Filter" icon="plus">
      {choices.map(([name, label, options]) => (
        <Field
          key={name}
          label={label}
          options={[['', 'Any'], ...options]}
          value={termIn(query, name)}
          onChange={value => narrow({ q: withTerm(q, name, value) })}
        />
      ))}
      <Field
        label="Sandboxes"
        options={[
          ['', 'This sandbox'],
          ['all', 'All sandboxes']
        ]}
        value={termIn(query, 'in')}
        onChange={value => narrow({ q: withTerm(q, 'in', value) })}
      />
      <Field
        label="Group by"
        options={[
          ['', 'Load'],
          ['test', 'Test'],
          ['none', 'Nothing']
        ]}
        {...inQuery('group')}
      />
    </Menu>
  )
}
