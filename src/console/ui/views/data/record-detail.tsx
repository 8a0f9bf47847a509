/** A record with its fields, what it belongs to, and what belongs to it. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { hrefOf } from '../../app/route.js'
import { Beside, CloseButton } from '../../components/beside.js'
import { Json } from '../../components/code.js'
import { Empty } from '../../components/states.js'
import { yamlOf } from '../../components/yaml.js'
import type { Family, State } from '../../control/client.js'
import { Merge } from './merge.js'
import { MoneyBar } from './money-bar.js'
import { type AnyRecord, childrenOf, countOf, familiesOfIds, type LinkedRecord, moneyIn, nameOf, parentsOf, recordIn } from './records.js'

type Props = { state: State; family: Family; id: string; refundable: 'amount' | 'amount_plus_extras'; onClose: () => void }

/** Records of one family that are listed below a record. */
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
        {record && (
          <button
            type="button"
            class="small"
            onClick={() => {
              isEdited.value = true
            }}
          >
            Edit
          </button>
        )}
      </header>
      {record === undefined ? (
        <Empty title={`There is no ${id} among the ${family}.`} />
      ) : (
        <>
          {family === 'transactions' && <MoneyBar money={moneyIn(state, record, { 'transactions.refundable': refundable })} />}
          <Links title="Belongs to" links={parentsOf(state, family, record)} />
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
          {isEdited.value && (
            <Merge
              text={yamlOf({ [family]: [record] })}
              onClose={() => {
                isEdited.value = false
              }}
            />
          )}
        </>
      )}
    </Beside>
  )
}

/** What was refunded of a Transaction, below it. */
function Refunds({ state, transaction, refundable }: { state: State; transaction: AnyRecord; refundable: Props['refundable'] }) {
  const refunds = childrenOf(state, 'transactions', transaction.id).flatMap(({ records }) => records)
  return (
    <>
      <MoneyBar money={moneyIn(state, transaction, { 'transactions.refundable': refundable })} isShort />
      {refunds.length > 0 && (
        <ul class="links">
          {refunds.slice(0, SHOWN).map(refund => (
            <LinkItem key={refund.id} family="refunds" record={refund} />
          ))}
        </ul>
      )}
    </>
  )
}

function LinkItem({ family, record, children }: LinkedRecord & { children?: ComponentChildren }) {
  return (
    <li>
      <a href={hrefOf({ path: [family, record.id] })}>{record.id}</a> <span class="faint">{nameOf(record)}</span>
      {children}
    </li>
  )
}

type LinksProps = { title: string; links: readonly LinkedRecord[]; more?: string | null; below?: (record: AnyRecord) => ComponentChildren }

function Links({ title, links, more = null, below = () => null }: LinksProps) {
  if (links.length === 0) return null
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul class="links">
        {links.map(({ family, record }) => (
          <LinkItem key={record.id} family={family} record={record}>
            {below(record)}
          </LinkItem>
        ))}
        {more && (
          <li>
            <a href={more}>All of them</a>
          </li>
        )}
      </ul>
    </section>
  )
}
