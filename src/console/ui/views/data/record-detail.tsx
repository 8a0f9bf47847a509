/** A record with its fields, what it belongs to and what belongs to it, what happened to it, and its JSON. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
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
import { isMoney } from '../money.js'
import { Money, MoneyBar } from '../money-bar.js'
import { Merge } from './merge.js'
import { Timeline } from './record-timeline.js'
import { type AnyRecord, childrenOf, countOf, familiesOfIds, type LinkedRecord, moneyIn, nameOf, parentsOf, type Refundable, recordIn } from './records.js'

type Props = { state: State; family: Family; id: string; refundable: Refundable; onClose: () => void }

const SHOWN = 50
const TABS = { fields: { title: 'Fields' }, timeline: { title: 'Timeline' }, json: { title: 'JSON' } }

export function RecordDetail({ state, family, id, refundable, onClose }: Props) {
  const record = recordIn(state, family, id)
  const isEdited = useSignal(false)
  const tab = choiceIn(TABS, route.value.query.tab, 'fields')
  const families = familiesOfIds(state)
  const hrefOfText = (text: string) => {
    const of = text === id ? undefined : families.get(text)
    return of && hrefOf({ path: [of, text] })
  }
  return (
    <Beside label={id} onClose={onClose}>
      <header class="stack">
        <p class="hint">{RESOURCE_NAMES[family]}</p>
        <h2>{(record && nameOf(record)) || id}</h2>
        <p class="row">
          <code>{id}</code>
          <Button class="small" text="Copy" label="Copy the id" run={() => copy(id, 'Id')} />
          {record && <Button class="small" icon="edit" text="Edit" run={() => (isEdited.value = true)} />}
        </p>
      </header>
      {record && family === 'transactions' && <MoneyBar {...moneyIn(state, record, refundable)} />}
      <Tabs label="Parts of the record" tabs={TABS} chosen={tab} targetOf={name => narrowed({ tab: name === 'fields' ? undefined : name })} />
      {tab === 'timeline' && <Timeline id={id} />}
      {tab !== 'timeline' && record === undefined && <Empty title={`There is no ${id} among the ${family}.`} />}
      {tab === 'json' && record && <Json value={record} label={id} hrefOfText={hrefOfText} />}
      {tab === 'fields' && record && (
        <div class="stack">
          <Fields record={record} hrefOfText={hrefOfText} />
          <Links title="Belongs to" links={parentsOf(state, record)} />
          {childrenOf(state, family, id).map(({ family: of, field, records }) => (
            <Links
              key={`${of} ${field}`}
              title={countOf(records.length, of)}
              links={records.slice(0, SHOWN).map(child => ({ family: of, record: child }))}
              below={child => of === 'transactions' && <Refunds state={state} transaction={child} refundable={refundable} />}
              more={records.length > SHOWN ? hrefOf({ path: [of], query: { search: id } }) : null}
            />
          ))}
        </div>
      )}
      {isEdited.value && record && <Merge text={yamlOf({ [family]: [record] })} onClose={() => (isEdited.value = false)} />}
    </Beside>
  )
}

/** Nested ones by their whole names; empty ones are left out. */
function fieldsOf(value: object, prefix = ''): [name: string, value: unknown][] {
  return Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    if (member === null || member === undefined) return []
    return typeof member === 'object' ? fieldsOf(member, `${prefix}${name}.`) : [[`${prefix}${name}`, member]]
  })
}

function Fields({ record, hrefOfText }: { record: AnyRecord; hrefOfText: (text: string) => string | undefined }) {
  const shown = (name: string, value: unknown) => {
    if (typeof value === 'number' && isMoney(name.split('.').at(-1) ?? ''))
      return (
        <>
          <Money amount={value} currency={record.currency} /> <span class="faint">{value}</span>
        </>
      )
    return linked(String(value), hrefOfText(String(value)))
  }
  return <Pairs class="pairs" pairs={fieldsOf(record).map(([name, value]) => [name, shown(name, value)])} />
}

function Refunds(props: { state: State; transaction: AnyRecord; refundable: Refundable }) {
  const refunds = childrenOf(props.state, 'transactions', props.transaction.id).flatMap(({ records }) => records)
  return (
    <>
      <MoneyBar {...moneyIn(props.state, props.transaction, props.refundable)} isShort />
      <LinkList links={refunds.slice(0, SHOWN).map(record => ({ family: 'refunds', record }))} />
    </>
  )
}

type ListProps = { links: readonly LinkedRecord[]; more?: string | null; below?: (record: AnyRecord) => ComponentChildren }

const LinkList = ({ links, more = null, below = () => null }: ListProps) =>
  links.length === 0 ? null : (
    <ul class="links">
      {links.map(({ family, record }) => (
        <li key={record.id}>
          <a href={hrefOf({ path: [family, record.id] })}>{record.id}</a> <span class="faint">{nameOf(record)}</span>
          {below(record)}
        </li>
      ))}
      {more && (
        <li>
          <a href={more}>All of them</a>
        </li>
      )}
    </ul>
  )

const Links = ({ title, ...list }: ListProps & { title: string }) =>
  list.links.length === 0 ? null : (
    <section aria-label={title}>
      <h3>{title}</h3>
      <LinkList {...list} />
    </section>
  )
