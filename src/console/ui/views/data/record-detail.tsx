/**
 * A record with its fields, what it belongs to and what belongs to it, what happened to it, and its
 * JSON.
 */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { isMoney } from '../../../../core/money.js'
import { RESOURCE_NAMES } from '../../../../reference/operations.js'
import { choiceIn, hrefOf, narrowed, route } from '../../app/route.js'
import { Button } from '../../components/button.js'
import { Json } from '../../components/code.js'
import { Beside, Pairs } from '../../components/layout.js'
import { linked, Tabs } from '../../components/links.js'
import { Empty } from '../../components/states.js'
import { copy } from '../../components/toast.js'
import { yamlOf } from '../../components/yaml.js'
import type { Family, State } from '../../control/client.js'
import { Money, MoneyBar } from '../money-bar.js'
import { Merge } from './adding.js'
import { Timeline } from './record-timeline.js'
import {
  type AnyRecord,
  childrenOf,
  countIn,
  type LinkedRecord,
  moneyIn,
  nameOf,
  parentsOf,
  type Refundable,
  recordsById,
  recordsOf
} from './records.js'

type Props = {
  state: State
  family: Family
  id: string
  refundable: Refundable
  onClose: () => void
}

const SHOWN = 50
const TABS = {
  fields: { title: 'Fields' },
  timeline: { title: 'Timeline' },
  json: { title: 'JSON' }
}

export function RecordDetail({ state, family, id, refundable, onClose }: Props) {
  const byId = recordsById(state)
  const record = recordsOf(state, family).find(record => record.id === id)
  const isEdited = useSignal(false)
  const tab = choiceIn(TABS, route.value.query.tab, 'fields')
  const hrefOfText = (text: string) => {
    const { family: of } = byId.get(text) ?? {}
    return of && text !== id ? hrefOf({ path: [of, text] }) : undefined
  }
  return (
    <Beside label={id} onClose={onClose}>
      <header class="stack">
        <p class="hint">{RESOURCE_NAMES[family]}</p>
        <h2>{(record && nameOf(record)) || id}</h2>
        <p class="row">
          <code>{id}</code>
          <Button class="small" text="Copy" label="Copy the id" run={() => copy(id, 'Id')} />
          {record && (
            <Button class="small" icon="edit" text="Edit" run={() => (isEdited.value = true)} />
          )}
        </p>
      </header>
      {record && family === 'transactions' && <MoneyBar {...moneyIn(state, record, refundable)} />}
      <Tabs
        label="Parts of the record"
        tabs={TABS}
        chosen={tab}
        targetOf={name => narrowed({ tab: name === 'fields' ? undefined : name })}
      />
      {tab === 'timeline' && <Timeline id={id} />}
      {tab !== 'timeline' && record === undefined && (
        <Empty title={`There is no ${id} among the ${family}.`} />
      )}
      {tab === 'json' && record && <Json value={record} label={id} hrefOfText={hrefOfText} />}
      {tab === 'fields' && record && (
        <div class="stack">
          <Fields record={record} hrefOfText={hrefOfText} />
          <Links title="Belongs to" links={parentsOf(record, byId)} />
          {childrenOf(state, family, id).map(({ family: of, links }) => (
            <Links
              key={of}
              title={countIn(of, links.length)}
              links={links}
              below={child =>
                of === 'transactions' && (
                  <Refunds state={state} transaction={child} refundable={refundable} />
                )
              }
              all={hrefOf({ path: [of], query: { search: id } })}
            />
          ))}
        </div>
      )}
      {isEdited.value && record && (
        <Merge text={yamlOf({ [family]: [record] })} onClose={() => (isEdited.value = false)} />
      )}
    </Beside>
  )
}

/** Nested ones by their whole names; empty ones are left out. */
function fieldsOf(value: object, prefix = ''): [name: string, value: unknown][] {
  return Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    if (member === null || member === undefined) return []
    return typeof member === 'object'
      ? fieldsOf(member, `${prefix}${name}.`)
      : [[`${prefix}${name}`, member]]
  })
}

function Fields({
  record,
  hrefOfText
}: {
  record: AnyRecord
  hrefOfText: (text: string) => string | undefined
}) {
  const shown = (name: string, value: unknown) =>
    typeof value === 'number' && isMoney(name)
      ? [<Money key="money" amount={value} currency={record.currency} />, ` (${value})`]
      : linked(String(value), hrefOfText(String(value)))
  return (
    <Pairs
      class="pairs"
      pairs={fieldsOf(record).map(([name, value]) => [name, shown(name, value)])}
    />
  )
}

const Refunds = ({
  state,
  transaction,
  refundable
}: {
  state: State
  transaction: AnyRecord
  refundable: Refundable
}) => (
  <>
    <MoneyBar {...moneyIn(state, transaction, refundable)} isShort />
    <Links
      links={childrenOf(state, 'transactions', transaction.id).flatMap(({ links }) => links)}
    />
  </>
)

/** `all` leads to those that are too many for it. */
type LinksProps = {
  title?: string
  links: readonly LinkedRecord[]
  below?: (record: AnyRecord) => ComponentChildren
  all?: string
}

const Links = ({ title, links, below = () => null, all }: LinksProps) =>
  links.length === 0 ? null : (
    <section aria-label={title}>
      {title && <h3>{title}</h3>}
      <ul class="links">
        {links.slice(0, SHOWN).map(({ family, record }) => (
          <li key={record.id}>
            <a href={hrefOf({ path: [family, record.id] })}>{record.id}</a>{' '}
            <span class="faint">{nameOf(record)}</span>
            {below(record)}
          </li>
        ))}
        {links.length > SHOWN && <li>{all ? <a href={all}>All of them</a> : '…'}</li>}
      </ul>
    </section>
  )
