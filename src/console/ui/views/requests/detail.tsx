/**
 * A request: the reasons for its response, what was sent and received, and what can be done with
 * it.
 */
import { useSignal } from '@preact/signals'
import { pairsOf } from '../../../../core/form-encoding.js'
import { isMoney, moneyShown } from '../../../../core/money.js'
import { useShortcuts } from '../../app/keyboard.js'
import { choiceIn, narrowed, route } from '../../app/route.js'
import { Button, ButtonLink } from '../../components/button.js'
import { Json } from '../../components/code.js'
import { ask } from '../../components/dialog.js'
import { Beside, Table } from '../../components/layout.js'
import { linked, Tabs } from '../../components/links.js'
import { Read } from '../../components/states.js'
import { copy, toastError } from '../../components/toast.js'
import { control, controlText, type ExplainedCall, type JournalCall } from '../../control/client.js'
import { apiOf, controlOf } from '../../control/place.js'
import { recordAddress } from '../record-address.js'
import { curlOf, entryYaml, fixtureYaml, isMasked } from './copies.js'
import { Method, RecordChanges, Response, Status } from './marks.js'
import { msShown, outcomeShown, pathShown, type Row } from './request-list.js'
import { isPast } from './requests.js'
import { currencyOf } from './summary.js'
import { keyOfAccount, send, TryDialog, trialOf } from './try.js'
import { Why } from './why.js'

export const Detail = ({
  id,
  row,
  onClose
}: {
  id: string
  row: Row | undefined
  onClose: () => void
}) => (
  <Beside label={`Request ${id}`} closing="Close the request" onClose={onClose}>
    {row && isPast(row) ? (
      <Shown call={row.call} />
    ) : (
      <Read from={() => control('GET /requests/ID', { name: id })} by={id} once>
        {call => <Shown call={call} />}
      </Read>
    )}
  </Beside>
)

/** Without the reasons where the journal was cleared since. */
type Shown = { call: JournalCall | ExplainedCall }

function Shown({ call }: Shown) {
  const isTrying = useSignal(false)
  const tab = choiceIn(TABS, route.value.query.tab, 'response')
  const { Content } = TABS[tab]
  const { id, at, account, test, method } = call
  const attempt = () => (isTrying.value = true)
  const sendNow = () => toasted(sendAgain(call))
  const again = () => {
    if (isMasked(call)) return attempt()
    if (method === 'GET') return sendNow()
    return ask({
      title: 'Send it again?',
      text: `${method} ${call.path} can change records each time it is sent.`,
      action: 'Send again',
      run: sendNow
    })
  }
  useShortcuts([
    { key: 'c', about: 'Copy the request as curl', run: () => void toasted(copyCurl(call)) },
    { key: 'e', about: 'Try the request with changes', run: attempt },
    { key: 's', about: 'Send the request again', run: () => void again() }
  ])
  return (
    <>
      <header class="stack">
        <h2>
          <Method method={method} /> <span class="mono">{pathShown(call)}</span>
        </h2>
        <p class="row">
          <Status call={call} /> <b>{id}</b> <span>{outcomeShown(call)}</span>
        </p>
        <p class="hint">
          {[
            at.replace('T', ' ').replace('Z', ' UTC'),
            `${msShown(call)} ms`,
            account && `as ${account}`,
            test && `test ${test}`
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
      </header>
      {'why' in call ? (
        <Why call={call} />
      ) : (
        <p class="faint">
          The journal has been cleared since, by a load, a reset or a command, so the reasons for
          this response are gone.
        </p>
      )}
      <div class="row">
        <Button class="small" icon="flask" text="Try with changes…" run={attempt} />
        <Button
          class="small"
          icon="send"
          text={`Send again${isMasked(call) ? '…' : ''}`}
          run={again}
        />
        <Copies call={call} />
      </div>
      <Tabs
        label="Parts of the request"
        tabs={TABS}
        chosen={tab}
        targetOf={name => narrowed({ tab: name === 'response' ? undefined : name })}
      />
      <Content call={call} />
      {isTrying.value && <TryDialog call={call} onClose={() => (isTrying.value = false)} />}
    </>
  )
}

function Sent({ call: { params, query, body } }: Shown) {
  const parts = { path: Object.entries(params), query: pairsOf(query), body: pairsOf(body) }
  const currency = body.currency ?? currencyOf(body.transaction)
  const rows = Object.entries(parts).flatMap(([part, pairs]) =>
    pairs.map(([name, value]) => {
      const isAmount = isMoney(name) && /^\d+$/.test(value) && currency !== undefined
      return [
        part,
        name,
        [
          linked(value, recordAddress(value)),
          isAmount && ` (${moneyShown(Number(value), currency)})`
        ]
      ]
    })
  )
  return rows.length === 0 ? (
    <p class="faint">No parameters were sent.</p>
  ) : (
    <Table heads={['In', 'Parameter', 'Value']} rows={rows} />
  )
}

/** Those that the journal keeps. */
function Headers({ call: { id, account, user_agent, test, trace, answered } }: Shown) {
  const headers = [
    ['request', 'authorization', account && `Basic ***, the key of ${account}`],
    ['request', 'user-agent', user_agent],
    ['request', 'test-name', test],
    ['request', 'traceparent', trace && `00-${trace}-…`],
    ['response', 'request-id', answered && id]
  ]
  return (
    <>
      <Table heads={['Of the', 'Header', 'Value']} rows={headers.filter(([, , value]) => value)} />
      <p class="hint">
        The journal keeps these headers only, and never a key. Try with changes shows all headers of
        a response.
      </p>
    </>
  )
}

/** The state before and after it, by the records that differ. */
function Changes({ call }: Shown) {
  if (!('why' in call)) return <p class="faint">The state before it is not known any more.</p>
  const { id } = call
  const stateAt = (when: 'before' | 'after') => (
    <ButtonLink
      icon="download"
      text={`State ${when} it`}
      href={`${controlOf()}/state?format=yaml&${when}=${id}`}
      download={`${when}-${id}.yaml`}
    />
  )
  return (
    <>
      <Read from={() => control('GET /requests/ID/changes', { name: id })} by={id} once>
        {({ data }) =>
          data.length === 0 ? (
            <p class="faint">It changed no record.</p>
          ) : (
            <RecordChanges records={data} />
          )
        }
      </Read>
      <p class="row">
        {stateAt('before')}
        {stateAt('after')}
      </p>
    </>
  )
}

const TABS = {
  response: {
    title: 'Response',
    Content: ({ call }: Shown) => (
      <Response call={call} label="Response" hrefOfText={recordAddress} />
    )
  },
  changes: { title: 'Changes', Content: Changes },
  sent: { title: 'Sent', Content: Sent },
  headers: { title: 'Headers', Content: Headers },
  raw: {
    title: 'Raw',
    Content: ({ call }: Shown) => (
      <Json value={call} label="Journal entry" hrefOfText={recordAddress} />
    )
  }
}

const toasted = (done: Promise<void>) => done.catch(toastError)

const copyCurl = async (call: JournalCall) =>
  copy(
    curlOf(call, { base: `${location.origin}${apiOf()}`, key: await keyOfAccount(call.account) }),
    'curl'
  )

const sendAgain = async (call: JournalCall) => send(trialOf(call, await keyOfAccount(call.account)))

function Copies({ call }: Shown) {
  const copies: Readonly<Record<string, () => Promise<void>>> = {
    curl: () => copyCurl(call),
    'script entry': async () => copy(entryYaml(call), 'Script entry'),
    fixture: async () => copy(fixtureYaml(call, await control('GET /state')), 'Fixture'),
    ...('why' in call && {
      scenario: async () =>
        copy(
          await controlText('GET /requests/ID', { name: call.id, query: { format: 'scenario' } }),
          'Scenario'
        )
    })
  }
  return (
    <fieldset class="row">
      <legend class="hint">Copy as</legend>
      {Object.entries(copies).map(([title, run]) => (
        <Button key={title} class="small" text={title} run={() => toasted(run())} />
      ))}
    </fieldset>
  )
}
