/** Counts requests for the expectations, where the sandbox does not see them itself. */

import { decodeForm } from '../../core/form.js'
import { testHeaderOf } from '../../engine/reading.js'
import { sentIn } from '../../engine/scripted.js'
import { isChange, operationAt, operationOf } from '../../reference/operations.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import type { Tally } from '../../scenario/expect/tally.js'
import type { SentCall } from '../../scenario/match/matching.js'
import type { Play, StepCall } from '../../scenario/steps.js'
import { isOk } from './compare.js'

export const countedPlay =
  (
    play: Play,
    tally: Tally,
    sandbox: Sandbox,
    localKey: (key: string | null) => string | null
  ): Play =>
  async (call, fault) => {
    const sentCall = sentBy({ ...call, key: localKey(call.key) }, sandbox)
    if (sentCall === null) return play(call, fault)
    const counts = tally.addRequest(sentCall)
    const response = await play(call, fault)
    const { status, body } = response
    const { operation } = sentCall
    tally.endRequest(counts, {
      status,
      isDelivered: status > 0,
      // a 2xx response to a change means that the service made the change
      tookEffect: isOk(response) && operation !== null && isChange(operationOf(operation)),
      changed: [],
      endedAt: sandbox.machine(),
      body: () => body
    })
    return response
  }

function sentBy(
  { method, path, query, key, form, headers = {} }: StepCall,
  { store, settings, machine }: Sandbox
): SentCall | null {
  const route = operationAt(method, path)
  if (route === null) return null
  const account = (key !== null && store.keys.get(key)) || null
  const test = headers[testHeaderOf(settings)] ?? null
  const sent = {
    ...route,
    at: machine(),
    caller: { account, test, userAgent: headers['user-agent'] ?? null },
    query: decodeForm(query, settings).root,
    body: decodeForm(form ?? '', settings).root,
    settings
  }
  return sentIn(store, sent, key, headers)
}
