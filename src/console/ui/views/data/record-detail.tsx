/** A record with its fields, what it belongs to, and what belongs to it. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { hrefOf } from '../../app/route.js'
import { Beside } from '../../components/beside.js'
import { Button, CloseButton } from '../../components/button.js'
import { Json } from '../../components/code.js'
import { Empty } from '../../components/states.js'
import { yamlOf } from '../../components/yaml.js'
import type { Family, State } from '../../control/client.js'
import { Merge } from './merge.js'
import { MoneyBar } from './money-bar.js'
import { type AnyRecord, childrenOf, countOf, familiesOfIds, type LinkedRecord, nameOf, parentsOf, type Refundable, recordIn } from './records.js'

type Props = { state: State; family: Family; id: string; refundable: Refundable; onClose: () => void }

const SHOWN = 50

export function RecordDetail({ state, family, id, refundable, onClose }: Props) {
  const record = recordIn(state, family, id)
  const isEdited = useSignal(false)
  const families = familiesOfIds(state)
  const hrefOfText = (text: string) => {
    const of = text === id ? undefined : families.get(text)
    return of && hrefOf({ path: [of, text] })
  }
  return (
    <Beside label={id}>
      <CloseButton label={`Close ${id}`} onClose={onClose} />
      <header class="row">
        <h2>{id}</h2>
        {record && <Button class="small" text="Edit" run={() => (isEdited.value = true)} />}
      </header>
      {record === undefined ? (
        <Empty title={`There is no ${id} among the ${family}.`} />
      ) : (
        <>
          {family === 'transactions' && <MoneyBar state={state} transaction={record} refundable={refundable} />}
          <Links title="Belongs to" links={parentsOf(state, record)} />
          <Json value={record} label={id} hrefOfText={hrefOfText} />
          {childrenOf(state, family, id).map(({ family: of, field, records }) => (
            <Links
              key={`${of} ${field}`}
              title={countOf(records.length, of)}
              links={records.slice(0, SHOWN).map(child => ({ family: of, record: child }))}
              below={child => of === 'transactions' && <Refunds state={state} transaction={child} refundable={refundable} />}
              more={records.length > SHOWN ? hrefOf({ path: [of], query: { search: id } }) : null}
            />
          ))}
          <p>
            <a href={hrefOf({ view: 'calls', query: { q: id } })}>Calls that name it</a>
          </p>
          {isEdited.value && <Merge text={yamlOf({ [family]: [record] })} onClose={() => (isEdited.value = false)} />}
        </>
      )}
    </Beside>
  )
}

function Refunds(props: { state: State; transaction: AnyRecord; refundable: Refundable }) {
  const refunds = childrenOf(props.state, 'transactions', props.transaction.id).flatMap(({ records }) => records)
  return (
    <>
      <MoneyBar {...props} isShort />
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
