/** A call: why it was answered so, what was sent and answered, and what can be done with it. */
import { useSignal } from '@preact/signals'
import { pairsOf } from '../../../../core/form-encoding.js'
import { useShortcuts } from '../../app/keyboard.js'
import { useResource } from '../../app/resource.js'
import { Beside } from '../../components/beside.js'
import { Button, CloseButton } from '../../components/button.js'
import { copy } from '../../components/copy.js'
import { linked } from '../../components/links.js'
import { Loaded } from '../../components/states.js'
import { Table } from '../../components/table.js'
import { toast, toastError } from '../../components/toast.js'
import { api, type ExplainedCall, type JournalCall } from '../../control/client.js'
import { apiOf } from '../../control/place.js'
import { recordAddress } from '../record-address.js'
import { Answer } from './answer.js'
import { msShown, outcomeShown, pathShown, periodOf, type Row } from './call-list.js'
import { list } from './calls.js'
import { curlOf, entryYaml, fixtureYaml, isMasked } from './copies.js'
import { keyOfAccount, send, TryDialog, trialOf } from './try.js'
import { Why } from './why.js'

type Props = { id: string; row: Row | undefined; onClose: () => void }

export function Detail({ id, row, onClose }: Props) {
  const isPast = row !== undefined && row.period !== periodOf(list.value, row.sandbox)
  return (
    <Beside class="call" label={`Call ${id}`}>
      {isPast ? <Shown call={row.call} onClose={onClose} /> : <Present id={id} onClose={onClose} />}
    </Beside>
  )
}

function Present({ id, onClose }: { id: string; onClose: () => void }) {
  const resource = useResource(() => api.request(id), id, { once: true })
  const isMissing = resource.data === null && resource.error !== null
  return (
    <>
      {isMissing && <CloseButton label="Close the call" onClose={onClose} />}
      <Loaded resource={resource}>{call => <Shown call={call} why={call.why} onClose={onClose} />}</Loaded>
    </>
  )
}

function Shown({ call, why, onClose }: { call: JournalCall; why?: ExplainedCall['why']; onClose: () => void }) {
  const isTrying = useSignal(false)
  const { id, method, at, account, test, user_agent, query, body, params } = call
  const sent = [
    ['path', Object.entries(params)],
    ['query', pairsOf(query)],
    ['body', pairsOf(body)]
  ] as const
  const parameters = sent.flatMap(([place, pairs]) =>
    pairs.map(([name, value]) => [
      <td key={place} class="faint">
        {place}
      </td>,
      name,
      linked(value, recordAddress(value))
    ])
  )
  const attempt = () => (isTrying.value = true)
  const again = () => (isMasked(call) ? attempt() : toasted(sendAgain(call)))
  useShortcuts([
    { key: 'c', about: 'Copy the call as curl', run: () => void toasted(copyCurl(call)) },
    { key: 'e', about: 'Explain the call with changes', run: attempt },
    { key: 's', about: 'Send the call again', run: again }
  ])
  return (
    <>
      <header>
        <h2>{`${method} ${pathShown(call)}`}</h2>
        <CloseButton label="Close the call" onClose={onClose} />
        <p>
          <b>{id}</b> {outcomeShown(call)}
        </p>
        <p class="faint">
          {[at.replace('T', ' ').replace('Z', ' UTC'), `${msShown(call)} ms`, account && `as ${account}`, test && `test ${test}`, user_agent]
            .filter(Boolean)
            .join(' · ')}
        </p>
        <div class="row">
          <Button class="small" text="Explain with changes…" run={attempt} />
          <Button class="small" text={`Send again${isMasked(call) ? '…' : ''}`} run={again} />
          <Copies call={call} isPresent={why !== undefined} />
        </div>
      </header>
      <section class="stack">
        <h3>Why</h3>
        {why ? (
          <Why call={{ ...call, why }} />
        ) : (
          <p class="faint">The journal was cleared since, by a load, a reset or a command: why it was answered so is no longer known.</p>
        )}
      </section>
      <section class="stack">
        <h3>Request</h3>
        {parameters.length === 0 ? <p class="faint">Without parameters.</p> : <Table heads={['In', 'Parameter', 'Value']} rows={parameters} />}
      </section>
      <section class="stack">
        <h3>Answer</h3>
        <Answer call={call} label="Answer" hrefOfText={recordAddress} />
      </section>
      {isTrying.value && <TryDialog call={call} onClose={() => (isTrying.value = false)} />}
    </>
  )
}

const toasted = (done: Promise<void>) => done.catch(toastError)

const copyCurl = async (call: JournalCall) => copy(curlOf(call, { base: `${location.origin}${apiOf()}`, key: await keyOfAccount(call.account) }), 'curl')

const sendAgain = async (call: JournalCall) => send(trialOf(call, await keyOfAccount(call.account)))

function Copies({ call, isPresent }: { call: JournalCall; isPresent: boolean }) {
  const asEntry = async () => {
    const yaml = entryYaml(call)
    if (yaml === null) toast('The reference has no such operation, so no script entry can be for it.', 'error')
    else await copy(yaml, 'Script entry')
  }
  const copies: Readonly<Record<string, () => Promise<void>>> = {
    curl: () => copyCurl(call),
    'script entry': asEntry,
    fixture: async () => copy(fixtureYaml(call, await api.state()), 'Fixture'),
    ...(isPresent && { scenario: async () => copy(await api.requestScenario(call.id), 'Scenario') })
  }
  return (
    <fieldset class="copies">
      <legend>Copy as</legend>
      {Object.entries(copies).map(([title, run]) => (
        <Button key={title} class="small" text={title} run={() => toasted(run())} />
      ))}
    </fieldset>
  )
}
