/** A call whole: why it was answered so, what was sent, what was answered, and what can be done with it. */
import { useSignal } from '@preact/signals'
import type { ExplainedCall, JournalCall } from '../../../../client/answers.js'
import { pairsOf } from '../../../../core/form-encoding.js'
import { useShortcuts } from '../../app/keyboard.js'
import { useResource } from '../../app/resource.js'
import { Beside, CloseButton } from '../../components/beside.js'
import { Json } from '../../components/code.js'
import { copy } from '../../components/copy.js'
import { Loaded } from '../../components/states.js'
import { toast, toastError } from '../../components/toast.js'
import { api } from '../../control/client.js'
import { apiOf, sandbox } from '../../control/place.js'
import { recordAddress } from '../record-address.js'
import { msShown, outcomeShown, pathShown, periodOf, type Row } from './call-list.js'
import { list } from './calls.js'
import { curlOf, entryYaml, fixtureYaml, isMasked } from './copies.js'
import { keyOfAccount, send, TryDialog, trialOf } from './try.js'
import { Why } from './why.js'

type Props = {
  id: string
  /** The call in the list; undefined where the list does not have it. */
  row: Row | undefined
  onClose: () => void
}

export function Detail({ id, row, onClose }: Props) {
  const isPast = row !== undefined && row.period !== periodOf(list.value, row.sandbox)
  return (
    <Beside class="call" label={`Call ${id}`}>
      {isPast ? <Shown call={row.call} onClose={onClose} /> : <Present id={id} onClose={onClose} />}
    </Beside>
  )
}

/** A call that the journal holds. */
function Present({ id, onClose }: { id: string; onClose: () => void }) {
  const resource = useResource(() => api.request(id), id, { once: true })
  if (resource.data === null && resource.error !== null) {
    return (
      <>
        <CloseButton label="Close the call" onClose={onClose} />
        <Loaded resource={resource}>{() => null}</Loaded>
      </>
    )
  }
  return <Loaded resource={resource}>{call => <Shown call={call} why={call.why} onClose={onClose} />}</Loaded>
}

function Shown({ call, why, onClose }: { call: JournalCall; why?: ExplainedCall['why']; onClose: () => void }) {
  const isTrying = useSignal(false)
  const { id, method, at, account, test, user_agent, query, body, answer, params } = call
  const parameters = [
    ...Object.entries(params).map(([name, value]) => ['path', name, value] as const),
    ...pairsOf(query).map(([name, value]) => ['query', name, value] as const),
    ...pairsOf(body).map(([name, value]) => ['body', name, value] as const)
  ]
  const again = () => {
    if (isMasked(call)) isTrying.value = true
    else void sendAgain(call)
  }
  useShortcuts([
    { key: 'c', about: 'Copy the call as curl', run: () => void copyCurl(call) },
    { key: 'e', about: 'Explain the call with changes', run: () => (isTrying.value = true) },
    { key: 's', about: 'Send the call again', run: again }
  ])
  return (
    <>
      <header>
        <h2>
          {method} {pathShown(call)}
        </h2>
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
          <button type="button" class="small" onClick={() => (isTrying.value = true)}>
            Explain with changes…
          </button>
          <button type="button" class="small" onClick={again}>
            Send again{isMasked(call) ? '…' : ''}
          </button>
          <Copies call={call} isPresent={why !== undefined} />
        </div>
      </header>
      <section>
        <h3>Why</h3>
        {why ? (
          <Why call={{ ...call, why }} sandbox={sandbox.value} />
        ) : (
          <p class="faint">The journal was cleared since, by a load, a reset or a command: why it was answered so is no longer known.</p>
        )}
      </section>
      <section>
        <h3>Request</h3>
        {parameters.length === 0 ? (
          <p class="faint">Without parameters.</p>
        ) : (
          <table>
            <thead>
              <tr>
                <th>In</th>
                <th>Parameter</th>
                <th>Value</th>
              </tr>
            </thead>
            <tbody>
              {parameters.map(([place, name, value], index) => {
                const href = recordAddress(value)
                return (
                  <tr key={index}>
                    <td class="faint">{place}</td>
                    <td>{name}</td>
                    <td>{href ? <a href={href}>{value}</a> : value}</td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        )}
      </section>
      <section>
        <h3>Answer</h3>
        {answer === null ? <p class="faint">Without a body.</p> : <Json value={answer} label="Answer" hrefOfText={text => recordAddress(text)} />}
      </section>
      {isTrying.value && <TryDialog call={call} onClose={() => (isTrying.value = false)} />}
    </>
  )
}

const base = () => `${location.origin}${apiOf()}`

async function copyCurl(call: JournalCall): Promise<void> {
  try {
    await copy(curlOf(call, { base: base(), key: await keyOfAccount(call.account) }), 'curl')
  } catch (error) {
    toastError(error)
  }
}

/** Sends it as it was; the answer is shown as a call of its own. */
async function sendAgain(call: JournalCall): Promise<void> {
  try {
    await send(trialOf(call, await keyOfAccount(call.account)))
  } catch (error) {
    toastError(error)
  }
}

/** Ways to take the call elsewhere. */
function Copies({ call, isPresent }: { call: JournalCall; isPresent: boolean }) {
  const asEntry = async () => {
    const yaml = entryYaml(call)
    if (yaml === null) toast('The reference has no such operation, so no script entry can be for it.', 'error')
    else await copy(yaml, 'Script entry')
  }
  const copies: readonly (readonly [title: string, run: () => Promise<void>])[] = [
    ['curl', () => copyCurl(call)],
    ['script entry', asEntry],
    ['fixture', async () => copy(fixtureYaml(call, await api.state()), 'Fixture')],
    ...(isPresent ? [['smallest scenario', async () => copy(await api.requestScenario(call.id), 'Scenario')] as const] : [])
  ]
  return (
    <fieldset class="copies">
      <legend>Copy as</legend>
      {copies.map(([title, run]) => (
        <button key={title} type="button" class="small" onClick={() => void run().catch(toastError)}>
          {title}
        </button>
      ))}
    </fieldset>
  )
}
