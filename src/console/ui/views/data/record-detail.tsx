/** A record: its fields, what belongs to it, what happened to it, and its JSON. */
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
/** Where the ids in the texts of a record lead. */
function linksFrom(state: State, id: string) {
  const families = familiesById(state)
  return (text: string) => {
    const family = families.get(text)
    return family && text !== id ? hrefOf({ path: [family, text] }) : undefined
  }
}

export function RecordDetail({ state, family, id, refundable, onClose }: Props) {
  const record = recordsOf(state, family).find(record => record.id === id)
  const isEdited = useSignal(false)
  const hrefOfText = linksFrom(state, id)
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
      {record === undefined ? (
        <Empty title={`There is no ${id} among the ${family}`} />
      ) : (
        <>
          {family === 'transactions' && (
            <Refunds state={state} transaction={record} refundable={refundable} />
          )}
          <Fields record={record} hrefOfText={hrefOfText} />
          <Children state={state} family={family} id={id} refundable={refundable} />
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

const Children = ({ state, family, id, refundable }: Omit<Props, 'onClose'>) =>
  childrenOf(state, family, id).map(([childFamily, records]) => {
    if (childFamily === 'refunds') return null
    const title = countIn(childFamily, records.length)
    return (
      <section key={childFamily} aria-label={title}>
        <h3>{linked(title, hrefOf({ path: [childFamily], query: { search: id } }))}</h3>
        <ul class="links">
          {records.slice(0, SHOWN).map(child => (
            <li key={child.id}>
              {linked(child.id, hrefOf({ path: [childFamily, child.id] }))}{' '}
              <span class="faint">{nameOf(child)}</span>
              {childFamily === 'transactions' && (
                <MoneyBar {...moneyIn(state, child, refundable)} isShort />
              )}
            </li>
          ))}
        </ul>
      </section>
    )
  })

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
  const renderValue = (name: string, value: unknown) =>
    typeof value === 'number' && isMoney(name)
      ? [<Money key="money" amount={value} currency={record.currency} />, ` (${value})`]
      : linked(String(value), hrefOfText(String(value)))
  return (
    <Pairs
      class="pairs"
      pairs={fieldsOf(record).map(([name, value]) => [name, renderValue(name, value)])}
    />
  )
}

type RefundsProps = { state: State; transaction: AnyRecord; refundable: Refundable }

function Refunds({ state, transaction, refundable }: RefundsProps) {
  const money = moneyIn(state, transaction, refundable)
  const refunds = newestFirst(
    recordsOf(state, 'refunds').filter(refund => refund.transaction === transaction.id)
  )
  return (
    <section class="stack" aria-label={countIn('refunds', refunds.length)}>
      <MoneyBar {...money} />
      {refunds.length === 0 ? (
        <p class="faint">No refunds.</p>
      ) : (
        <Table
          label="Refunds"
          heads={['Refunded', 'Amount', 'Reason', 'Remaining', 'Request']}
          rows={refundRows(refunds.slice(0, SHOWN), transaction.currency, money.remaining)}
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

/** `remaining` is what the newest of the refunds left. */
function refundRows(refunds: readonly AnyRecord[], currency: unknown, remaining: number) {
  const calls = list.value.rows.filter(isHeld)
  const requestOf = (id: string) =>
    calls.find(({ call }) => call.took_effect && Object(call.answer).id === id)?.call.id
  let before = remaining
  return refunds.map(({ id, created, amount, reason }) => {
    const after = before
    before += Number(amount)
    return [
      <a key="id" href={hrefOf({ path: ['refunds', id] })} title={`${id}, ${created}`}>
        {created.slice(0, 10)}
      </a>,
      <Money key="amount" amount={Number(amount)} currency={currency} />,
      String(reason ?? ''),
      <Money key="left" amount={after} currency={currency} />,
      requestLink(requestOf(id) ?? '')
    ]
  })
}

/** The requests that name a record. */
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
    records.length === 0 ? [] : [countIn(family, records.length)]
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
