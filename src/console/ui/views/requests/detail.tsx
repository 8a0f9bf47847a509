/** A request: the reasons for its response, what was sent, and what can be done with it. */
import { useSignal } from '@preact/signals'
import { pairsOf } from '../../../../core/form-encoding.js'
import { isMoney, moneyShown } from '../../../../core/money.js'
import { useShortcuts } from '../../app/keyboard.js'
import { useResource } from '../../app/resource.js'
import { Json } from '../../components/code.js'
import { Button, ButtonLink, Menu } from '../../components/controls.js'
import { ask } from '../../components/dialog.js'
import { Beside, Pairs, Read } from '../../components/layout.js'
import { chosenIn, linked, QueryTabs, recordAddress, testAddress } from '../../components/links.js'
import { copy, toastError } from '../../components/toast.js'
import {
  apiOf,
  control,
  controlOf,
  controlText,
  type ExplainedCall,
  type JournalCall,
  type RecordChange
} from '../../control/client.js'
import { curlOf, entryYaml, isMasked } from './copies.js'
import { RecordChanges, Response, Status } from './marks.js'
import { msShown, pathShown, type Row } from './request-list.js'
import { isPast, isRead } from './requests.js'
import { currencyOf } from './summary.js'
import { keyOfAccount, send, TryDialog, trialOf } from './try.js'
import { Why } from './why.js'

type DetailProps = { id: string; row: Row | undefined; onClose: () => void }

export const Detail = ({ id, row, onClose }: DetailProps) => (
  <Beside label={`Request ${id}`} closing="Close the request" onClose={onClose}>
    {row && isPast(row) ? (
      <CallDetail call={row.call} changes={null} />
    ) : (
      <Read from={() => control('GET /requests/ID', { name: id })} by={id} once>
        {call => <CallWithChanges call={call} />}
      </Read>
    )}
  </Beside>
)

function CallWithChanges({ call }: { call: ExplainedCall }) {
  const read = async () =>
    call.took_effect ? control('GET /requests/ID/changes', { name: call.id }) : { data: [] }
  const { data } = useResource(read, call.id, { once: true })
  return <CallDetail call={call} changes={data?.data ?? null} />
}

type Props = { call: JournalCall | ExplainedCall; changes: readonly RecordChange[] | null }

function CallDetail({ call, changes }: Props) {
  const isTrying = useSignal(false)
  const { Content } = TABS[chosenIn(TABS, 'tab')]
  const attempt = () => (isTrying.value = true)
  const again = () => {
    if (isMasked(call)) return attempt()
    if (call.method === 'GET') return sendAgain(call)
    return askToSend(call)
  }
  useShortcuts([
    { key: 'c', about: 'Copy the request as curl', run: () => void toasted(copyCurl(call)) },
    { key: 'e', about: 'Replay the request with changes', run: attempt },
    { key: 's', about: 'Send the request again', run: () => void again() }
  ])
  return (
    <>
      <header class="stack">
        <Heading call={call} />
        <div class="row">
          <Button class="small" icon="flask" text="Replay…" run={attempt} />
          <Button
            class="small"
            icon="send"
            text={`Send again${isMasked(call) ? '…' : ''}`}
            run={again}
          />
          <Copies call={call} />
        </div>
      </header>
      <Why call={call} changed={changes?.length} />
      <Sent call={call} />
      <QueryTabs label="Parts of the request" tabs={TABS} name="tab" />
      <Content call={call} changes={changes} />
      {isTrying.value && <TryDialog call={call} onClose={() => (isTrying.value = false)} />}
    </>
  )
}

const askToSend = (call: JournalCall) =>
  ask({
    title: 'Send it again?',
    text: `${call.method} ${call.path} can change records each time it is sent.`,
    action: 'Send again',
    run: () => sendAgain(call)
  })

function Heading({ call }: Pick<Props, 'call'>) {
  const { id, at, account, test, method } = call
  return (
    <>
      <div class="row">
        <h2 class="mono">{`${method} ${pathShown(call)}`}</h2>
        <Status call={call} />
        {test && <span>test {linked(test, testAddress(test))}</span>}
      </div>
      <p class="hint">
        {id} · {at.replace('T', ' ').replace('Z', ' UTC')} · <span>{msShown(call)} ms</span>
        {account && [' · as ', linked(account, recordAddress(account))]}
      </p>
    </>
  )
}

function Sent({ call: { query, body, refusal } }: Pick<Props, 'call'>) {
  // once the journal is read, its currencies are known
  const currency = isRead.value && (body.currency ?? currencyOf(body.transaction))
  const rows = [...pairsOf(query), ...pairsOf(body)].map(([name, value]) => {
    const isAmount = isMoney(name) && /^\d+$/.test(value) && currency
    const isCulprit = refusal?.param === name
    return [
      name,
      <span key={name} class={isCulprit ? 'bad' : ''}>
        {linked(value || '(empty)', recordAddress(value))}
        {isAmount && ` (${moneyShown(Number(value), currency)})`}
        {isCulprit && <b> ← refused</b>}
      </span>
    ] as const
  })
  return (
    <section class="stack" aria-label="What was sent">
      <h3>Sent</h3>
      {rows.length === 0 ? (
        <p class="faint">No parameters.</p>
      ) : (
        <Pairs class="pairs" pairs={rows} />
      )}
    </section>
  )
}

function Headers({
  call: { id, account, user_agent, test, trace, answered, method, path }
}: Props) {
  const headers = [
    ['request', `${method} ${path}`],
    ['authorization', account && `Basic ***, the key of ${account}`],
    ['user-agent', user_agent],
    ['test-name', test],
    ['traceparent', trace && `00-${trace}-…`],
    ['request-id of the response', answered && id]
  ] as const
  return (
    <>
      <Pairs class="pairs" pairs={headers.filter(([, value]) => value)} />
      <p class="hint">
        The journal keeps only these headers, and never a key. Replay shows all headers of a
        response.
      </p>
    </>
  )
}

function Changes({ call: { id }, changes }: Props) {
  if (changes === null) return <p class="faint">The state before it is no longer stored.</p>
  return (
    <>
      {changes.length === 0 ? (
        <p class="faint">Nothing changed.</p>
      ) : (
        <RecordChanges records={changes} />
      )}
      <p class="row">
        <span class="hint">State before and after</span>
        {['before', 'after'].map(when => (
          <ButtonLink
            key={when}
            icon="download"
            text={when.replace(/^./, first => first.toUpperCase())}
            href={`${controlOf()}/state?format=yaml&${when}=${id}`}
            download={`${when}-${id}.yaml`}
          />
        ))}
      </p>
    </>
  )
}

const TABS = {
  response: {
    title: 'Response',
    Content: ({ call }: Props) => (
      <Response call={call} label="Response" hrefOfText={recordAddress} />
    )
  },
  changes: { title: 'Changes', Content: Changes },
  request: { title: 'Request', Content: Headers },
  raw: {
    title: 'Raw',
    Content: ({ call }: Props) => (
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

const sendAgain = (call: JournalCall) =>
  toasted(keyOfAccount(call.account).then(key => send(trialOf(call, key))))

function Copies({ call }: Pick<Props, 'call'>) {
  const scenario = () =>
    controlText('GET /requests/ID', { name: call.id, query: { format: 'scenario' } })
  const copies: Readonly<Record<string, () => Promise<void>>> = {
    'As curl': () => copyCurl(call),
    'As a script entry': async () => copy(entryYaml(call), 'Script entry'),
    ...('why' in call && {
      'As a scenario': async () => copy(await scenario(), 'Scenario')
    })
  }
  return (
    <Menu text="Copy">
      {Object.entries(copies).map(([title, run]) => (
        <Button key={title} text={title} run={() => toasted(run())} />
      ))}
    </Menu>
  )
}
