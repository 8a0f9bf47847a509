/**
 * A record with its fields, what it belongs to and what belongs to it, what happened to it, and its
 * JSON.
 */
import { useSignal } from '@preact/signals'
import { isMoney } from '../../../../core/money.js'
import { RESOURCE_NAMES } from '../../../../reference/operations.js'
import { undoable, useDraft } from '../../app/command.js'
import { hrefOf } from '../../app/route.js'
import { Json } from '../../components/code.js'
import { Button, ButtonLink } from '../../components/controls.js'
import { Dialog } from '../../components/dialog.js'
import { Beside, Empty, Pairs, Table } from '../../components/layout.js'
import { linked, requestLink } from '../../components/links.js'
import { copy } from '../../components/toast.js'
import { yamlOf } from '../../components/yaml.js'
import { YamlEditor } from '../../components/yaml-editor.js'
import { control, type Family, type State, sandbox } from '../../control/client.js'
import { countOf } from '../count.js'
import { Money, MoneyBar } from '../money-bar.js'
import { filtered } from '../requests/query.js'
import { isHeld, list } from '../requests/requests.js'
import {
  type AnyRecord,
  childrenOf,
  countIn,
  familiesById,
  moneyIn,
  nameOf,
  newestFirst,
  type Refundable,
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
export function RecordDetail({ state, family, id, refundable, onClose }: Props) {
  const families = familiesById(state)
  const record = recordsOf(state, family).find(record => record.id === id)
  const isEdited = useSignal(false)
  const hrefOfText = (text: string) => {
    const of = families.get(text)
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
          <RequestsOf id={id} />
        </p>
      </header>
      {record && family === 'transactions' && (
        <Refunds state={state} transaction={record} refundable={refundable} />
      )}
      {record === undefined ? (
        <Empty title={`There is no ${id} among the ${family}`} />
      ) : (
        <>
          <Fields record={record} hrefOfText={hrefOfText} />
          {childrenOf(state, family, id).map(
            ([of, records]) =>
              of !== 'refunds' && (
                <section key={of} aria-label={countIn(of, records.length)}>
                  <h3>
                    {linked(
                      countIn(of, records.length),
                      hrefOf({ path: [of], query: { search: id } })
                    )}
                  </h3>
                  <ul class="links">
                    {records.slice(0, SHOWN).map(child => (
                      <li key={child.id}>
                        {linked(child.id, hrefOf({ path: [of, child.id] }))}{' '}
                        <span class="faint">{nameOf(child)}</span>
                        {of === 'transactions' && (
                          <MoneyBar {...moneyIn(state, child, refundable)} isShort />
                        )}
                      </li>
                    ))}
                  </ul>
                </section>
              )
          )}
          <details>
            <summary>JSON</summary>
            <Json value={record} label={id} hrefOfText={hrefOfText} />
          </details>
        </>
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
      requestLink(request ?? '')
    ]
  })
  return (
    <section class="stack" aria-label={countIn('refunds', refunds.length)}>
      <MoneyBar {...money} />
      {rows.length === 0 ? (
        <p class="faint">No refunds.</p>
      ) : (
        <Table
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

/** To the requests that name a record, beside what the last of them changed. */
function RequestsOf({ id }: { id: string }) {
  const calls = filtered(list.value.rows.filter(isHeld), { text: id, sandbox: sandbox.value })
  const { call } = calls.find(({ call }) => call.took_effect) ?? { ...calls[0] }
  const query = { q: id, tab: 'changes' }
  return (
    <ButtonLink
      icon="requests"
      text={countOf(calls.length, 'request')}
      href={hrefOf({ view: 'requests', path: call && [call.id], query })}
    />
  )
}

/** The API itself cannot create a Ticket. */
const EXAMPLE = `tickets:
  - { id: tkt_new, location: loc_bistro, reference: T-900 }
transactions:
  - { ticket: tkt_new, payment_type: external, amount: 4200 }
`

function addedInWords(added: object): string {
  const counts = Object.entries(added).flatMap(([family, records]) =>
    records.length === 0 ? [] : [countIn(family as Family, records.length)]
  )
  return `Added or changed: ${counts.join(', ') || 'nothing'}.`
}

export function Merge({ onClose, text = EXAMPLE }: { onClose: () => void; text?: string }) {
  const yaml = useDraft(text)
  const merge = async () => {
    const { first, undo } = undoable('merge')
    const merged = first().then(() => control('POST /records', { yaml: yaml.text.value }))
    if (await yaml.send(merged, addedInWords, undo)) onClose()
  }
  return (
    <Dialog
      title="Add or edit records"
      wide
      onClose={onClose}
      actions={<Button class="primary" text="Merge into the state" />}
      send={merge}
    >
      <p class="hint">
        A fixture in YAML or JSON. A record whose id exists is replaced. If there is a problem,
        nothing changes.
      </p>
      <YamlEditor label="Fixture" rows={16} schema="fixture" draft={yaml} />
    </Dialog>
  )
}
