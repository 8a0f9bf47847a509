/** A call that evidence names: a link to it. */
import { hrefOf } from '../../app/route.js'
import type { Scope } from '../../control/client.js'
import { namedInRun } from './words.js'

/** In a run a call is named `SANDBOX#PERIOD/req_N`; its sandbox holds it until the next load or reset, and the report of the run beyond that. */
export function CallLink({ request, scope }: { request: string; scope: Scope }) {
  if (scope === 'sandbox') return <a href={hrefOf({ view: 'calls', path: [request] })}>{request}</a>
  const { sandbox, id } = namedInRun(request)
  return <a href={hrefOf({ view: 'calls', path: [id], sandbox })}>{request}</a>
}
