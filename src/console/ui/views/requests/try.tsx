/** A request with changes, tried on a copy or sent. */
import { useSignal } from '@preact/signals'
import { encodeForm } from '../../../../core/form-encoding.js'
import { useResource } from '../../app/resource.js'
import { go, route } from '../../app/route.js'
import { Button, bound, Field } from '../../components/controls.js'
import { Dialog } from '../../components/dialog.js'
import { Failure, Table } from '../../components/layout.js'
import { messageOf, toast } from '../../components/toast.js'
import {
  apiOf,
  ControlError,
  control,
  type JournalCall,
  sandbox,
  type TrialCall,
  type TriedCall
} from '../../control/client.js'
import { addressOf, isMasked, pairsIn } from './copies.js'
import { RecordChanges, Response } from './marks.js'
import { sentIn } from './request-list.js'
import { Why } from './why.js'

const METHODS = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH']

export const keyOfAccount = async (account: string | null): Promise<string | null> =>
  (await control('GET /keys')).data.find(key => key.account === account)?.key ?? null

export const trialOf = (call: JournalCall, key: string | null): TrialCall => ({
  method: call.method,
  path: addressOf(call),
  key,
  body: encodeForm(call.body) || null
})

/** Sends a request to the emulated API, and shows it. Errors: where the response is lost. */
export async function send({ method, path, key, body }: TrialCall): Promise<void> {
  const name = sandbox.value
  const response = await fetch(`${apiOf(name)}${path}`, {
    method,
    credentials: 'omit',
    headers: {
      ...(key !== null && { authorization: `Basic ${btoa(`${key}:`)}` }),
      ...(body !== null && { 'content-type': 'application/x-www-form-urlencoded' })
    },
    body: body ?? null
  }).catch(() => {
    throw new Error('The request was sent, and its response was lost.')
  })
  const id = response.headers.get('request-id')
  toast(`Sent${id === null ? '' : ` as ${id}`}; the response is ${response.status}`)
  if (id !== null && sandbox.value === name) go({ path: [id], query: route.value.query })
}

type TryProps = { call: JournalCall; onClose: () => void }

function useTrial({ call, onClose }: TryProps) {
  const keys = useResource(() => control('GET /keys'), '', { once: true }).data?.data ?? []
  const method = useSignal(call.method)
  const path = useSignal(addressOf(call))
  const body = useSignal(sentIn(call.body).join('\n'))
  const chosenKey = useSignal<string | null>(null)
  const outcome = useSignal<{ error?: ControlError; tried?: TriedCall }>({})
  const key = chosenKey.value ?? keys.find(({ account }) => account === call.account)?.key ?? ''
  const attempt = async (isSent: boolean) => {
    outcome.value = {}
    const sent = new URLSearchParams(pairsIn(body.value)).toString()
    const trial = { method: method.value, path: path.value, key: key || null, body: sent || null }
    try {
      if (isSent) {
        await send(trial)
        return onClose()
      }
      outcome.value = { tried: await control('POST /explain', { body: trial }) }
    } catch (error) {
      outcome.value = {
        error:
          error instanceof ControlError ? error : new ControlError('no_answer', messageOf(error))
      }
    }
  }
  const keyField = {
    value: key,
    onChange: (value: string) => (chosenKey.value = value),
    options: [
      ['', 'none'],
      ...keys.map(({ key, account }) => [key, `${account}: ${key}`] as const)
    ] as const
  }
  return { method, path, body, keyField, attempt, ...outcome.value }
}

export function TryDialog(props: TryProps) {
  const { call, onClose } = props
  const { method, path, body, keyField, attempt, error, tried } = useTrial(props)
  const actions = (
    <>
      <Button text="Send" run={() => attempt(true)} />
      <Button class="primary" text="Try on a copy" />
    </>
  )
  return (
    <Dialog
      wide
      title={`Replay ${call.id}`}
      onClose={onClose}
      actions={actions}
      send={() => attempt(false)}
    >
      <p class="hint">
        A try runs on a copy of the sandbox and changes nothing.{' '}
        {isMasked(call) && 'Replace ***: secrets are not kept.'}
      </p>
      <div class="fields call">
        <Field label="Method" options={METHODS} {...bound(method)} />
        <Field label="Path and query" {...bound(path)} />
        <Field label="API key" {...keyField} />
      </div>
      <Field
        label="Body"
        hint="One parameter per line: amount=500, metadata[order]=A-1"
        rows={5}
        {...bound(body)}
      />
      {error && <Failure error={error} />}
      {tried && <Tried call={tried} />}
    </Dialog>
  )
}

function Tried({ call }: { call: TriedCall }) {
  const { changes, headers } = call
  return (
    <section class="stack" aria-label="What the response would be" aria-live="polite">
      <h3>On the copy: {call.status}</h3>
      <Why call={call} changed={changes.records.length} />
      <Response call={call} label="Response on the copy" />
      <details>
        <summary>Headers of the response</summary>
        <Table
          label="Headers"
          heads={['Header', 'Received']}
          rows={Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')])}
        />
      </details>
      <RecordChanges records={changes.records} />
    </section>
  )
}
