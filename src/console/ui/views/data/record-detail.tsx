/**
 * A record with its fields, what it belongs to and what belongs to it, what happened to it, and its
 * JSON.
 */
import { useSignal } from '@preact/signals'
import { isMoney } from '../../../../core/money.js'
import { RESOURCE_NAMES } from '../../../../reference/operations.js'
import { choiceIn, hrefOf, narrowed, route } from '../../app/route.js'
import { Json } from '../../components/code.js'
import { Button } from '../../components/controls.js'
import { Beside, Empty, Pairs, WideTable } from '../../components/layout.js'
import { linked, RequestLink, Tabs } from '../../components/links.js'
import { copy } from '../../components/toast.js'
import { yamlOf } from '../../components/yaml.js'
import type { Family, State } from '../../control/client.js'
import { sandbox } from '../../control/place.js'
import { Money, MoneyBar } from '../money-bar.js'
import { filtered } from '../requests/query.js'
import { outcomeShown } from '../requests/request-list.js'
import { isHeld, list } from '../requests/requests.js'
import { amountOf, shortPath } from '../requests/summary.js'
import { Merge } from './adding.js'
import {
  type AnyRecord,
  childrenOf,
  countIn,
  type LinkedRecord,
  moneyIn,
  nameOf,
  newestFirst,
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
  requests: { title: 'Requests' },
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
          {record && <Button class="small" text="Edit" run={() => (isEdited.value = true)} />}
        </p>
      </header>
      {record && family === 'transactions' && (
        <Refunds state={state} transaction={record} refundable={refundable} />
      )}
      <Tabs
        label="Parts of the record"
        tabs={TABS}
        chosen={tab}
        targetOf={name => narrowed({ tab: name === 'fields' ? undefined : name })}
      />
      {tab === 'requests' && <Requests id={id} />}
      {tab !== 'requests' && record === undefined && (
        <Empty title={`There is no ${id} among the ${family}`} />
      )}
      {tab === 'json' && record && <Json value={record} label={id} hrefOfText={hrefOfText} />}
      {tab === 'fields' && record && (
        <div class="stack">
          <Fields record={record} hrefOfText={hrefOfText} />
          <Links title="Belongs to" links={parentsOf(record, byId)} />
          {childrenOf(state, family, id).map(
            ({ family: of, links }) =>
              of !== 'refunds' && (
                <Links
                  key={of}
                  title={countIn(of, links.length)}
                  links={links}
                  barOf={child =>
                    of === 'transactions' && (
                      <MoneyBar {...moneyIn(state, child, refundable)} isShort />
                    )
                  }
                  all={hrefOf({ path: [of], query: { search: id } })}
                />
              )
          )}
        </div>
      )}
      {isEdited.value && record && (
        <Merge text={yamlOf({ [family]: [record] })} onClose={() => (isEdited.value = false)} />
      )}
    </Beside>
  )
}

function fieldsOf(value: object, prefix = ''): [name: string, value: unknown][] {
  return Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    if (member === null || member === undefined) return []
    return typeof member === 'object'
      ? fieldsOf(member, `${prefix}${name}.`)
      : [[`${prefix}${name}`, member]]
  })
}

type FieldsProps = { record: AnyRecord; hrefOfText: (text: string) => string | undefined }

function Fields({ record, hrefOfText }: FieldsProps) {
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

type RefundsProps = { state: State; transaction: AnyRecord; refundable: Refundable }

function Refunds({ state, transaction, refundable }: RefundsProps) {
  const money = moneyIn(state, transaction, refundable)
  const refunds = newestFirst(
    recordsOf(state, 'refunds').filter(refund => refund.transaction === transaction.id)
  )
  const { currency } = transaction
  const calls = list.value.rows.filter(isHeld)
  const requestOf = (id: string) =>
    calls.find(({ call }) => call.took_effect && Object(call.answer).id === id)?.call.id
  let left = money.remaining
  const rows = refunds.slice(0, SHOWN).map(({ id, created, amount, reason }) => {
    const remaining = left
    left += Number(amount)
    const request = requestOf(id)
    return [
      <a key="id" href={hrefOf({ path: ['refunds', id] })} title={`${id}, ${created}`}>
        {created.slice(0, 10)}
      </a>,
      <Money key="amount" amount={Number(amount)} currency={currency} />,
      String(reason ?? ''),
      <Money key="left" amount={remaining} currency={currency} />,
      request === undefined ? '' : <RequestLink key="request" id={request} />
    ]
  })
  return (
    <section class="stack" aria-label={countIn('refunds', refunds.length)}>
      <MoneyBar {...money} />
      {rows.length === 0 ? (
        <p class="faint">No refunds.</p>
      ) : (
        <WideTable
          label="Refunds"
          heads={['Refunded', 'Amount', 'Reason', 'Remaining', 'Request']}
          rows={rows}
        />
      )}
      {refunds.length > SHOWN && (
        <a href={hrefOf({ path: ['refunds'], query: { search: transaction.id } })}>
          All {refunds.length} refunds
        </a>
      )}
    </section>
  )
}

type LinksProps = {
  title: string
  links: readonly LinkedRecord[]
  barOf?: (record: AnyRecord) => unknown
  all?: string
}

const Links = ({ title, links, barOf = () => null, all }: LinksProps) =>
  links.length === 0 ? null : (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul class="links">
        {links.slice(0, SHOWN).map(({ family, record }) => (
          <li key={record.id}>
            <a href={hrefOf({ path: [family, record.id] })}>{record.id}</a>{' '}
            <span class="faint">{nameOf(record)}</span>
            {barOf(record)}
          </li>
        ))}
        {links.length > SHOWN && all && (
          <li>
            <a href={all}>All {links.length}</a>
          </li>
        )}
      </ul>
    </section>
  )

function Requests({ id }: { id: string }) {
  const calls = filtered(list.value.rows.filter(isHeld), { text: id, sandbox: sandbox.value })
  return (
    <>
      {calls.length === 0 && <p class="faint">None since the last load or reset.</p>}
      <ol class="lines" aria-label={`Requests of ${id}`}>
        {calls.slice(0, SHOWN).map(({ call }) => (
          <li key={call.id} class="row">
            <RequestLink id={call.id} />
            <span class="mono">{call.method}</span> {shortPath(call.path)}
            <span class="faint">{amountOf(call)}</span>
            {call.took_effect ? (
              <a href={hrefOf({ view: 'requests', path: [call.id], query: { tab: 'changes' } })}>
                what changed
              </a>
            ) : (
              <span class="faint">{outcomeShown(call)}</span>
            )}
          </li>
        ))}
      </ol>
    </>
  )
}
