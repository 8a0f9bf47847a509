/** The field that searches requests; the address has the search. */
import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { focusSearch } from '../../app/keyboard.js'
import { inQuery, narrow, narrowed, route } from '../../app/route.js'
import { Button, Field, SearchField } from '../../components/controls.js'
import { Choices } from '../../components/links.js'
import { queryIn, suggestionsFor, termIn, unknownIn, withTerm } from './query.js'
import { list } from './requests.js'

const KINDS = { '': 'All', refused: 'Refused', lost: 'No response', scripted: 'Scripted' }
const GROUPS = [
  ['', 'Group by load'],
  ['test', 'Group by test'],
  ['none', 'No groups']
] as const
const MAX_SUGGESTED = 100

export function Search({ count, children }: { count: string; children: ComponentChildren }) {
  const { q = '' } = route.value.query
  const query = queryIn(q)
  const kinds = Object.entries(KINDS).map(
    ([kind, text]) => [kind, text, narrowed({ q: withTerm(q, 'is', kind) })] as const
  )
  const addFilter = () => {
    narrow({ q: q.trim() && `${q.trim()} ` })
    focusSearch()
  }
  return (
    <search class="stack">
      <div class="row">
        <Terms q={q} />
        <div class="row filters">
          <Choices label="Requests to show" choices={kinds} chosen={termIn(query, 'is')} />
          <Button class="small" icon="plus" text="Filter" run={addFilter} />
        </div>
      </div>
      <div class="row">
        <p class="faint" role="status">
          {count}
        </p>
        {unknownIn(query).map(([part, why]) => (
          <p key={part} class="hint">
            <u>{part}</u> {why}.
          </p>
        ))}
        <div class="row end">
          <Field label="Group by" isLabelHidden options={GROUPS} {...inQuery('group')} />
          {children}
        </div>
      </div>
    </search>
  )
}

function Terms({ q }: { q: string }) {
  const isOpen = useSignal(false)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it follows the focus within
    <div
      class="grow menu"
      onFocusIn={() => (isOpen.value = true)}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        isOpen.value = relatedTarget instanceof Node && currentTarget.contains(relatedTarget)
      }}
      onInput={() => (isOpen.value = true)}
      onKeyDown={({ key }) => {
        if (key === 'Escape' || key === 'ArrowDown') isOpen.value = false
      }}
    >
      <SearchField
        label="Search requests"
        placeholder="Search, or status:4xx rule:REF-7"
        {...inQuery('q')}
      />
      {isOpen.value && <Suggestions q={q} isOpen={isOpen} />}
    </div>
  )
}

function Suggestions({ q, isOpen }: { q: string; isOpen: Signal<boolean> }) {
  const tests = new Set(list.value.rows.map(({ call }) => call.test ?? ''))
  const { before, suggestions } = suggestionsFor(q, [...tests].filter(Boolean))
  if (suggestions.length === 0) return null
  const write = (replacement: string) => {
    narrow({ q: before + replacement })
    focusSearch()
    isOpen.value = replacement.endsWith(':')
  }
  return (
    <div class="items terms" role="group" aria-label="Search terms">
      {suggestions.slice(0, MAX_SUGGESTED).map(({ term, about, replacement }) => (
        <Button
          key={term}
          text={[
            <code key="term">{term}</code>,
            <span key="about" class="faint">
              {about}
            </span>
          ]}
          run={() => write(replacement)}
        />
      ))}
    </div>
  )
}
