/** A request that evidence names: a link to it, and what the report of the run holds of it. */
import { hrefOf, narrow, narrowed, route } from '../../app/route.js'
import { Json } from '../../components/code.js'
import { Beside } from '../../components/layout.js'
import { RequestLink } from '../../components/links.js'
import { Read } from '../../components/states.js'
import { control, type Scope } from '../../control/client.js'
import { recordAddress } from '../record-address.js'
import { sandboxOf } from './words.js'

/**
 * The journal of a sandbox is cleared by loads and resets, so a request of the run is shown from
 * the report of the run.
 */
export const namedLink = (request: string, scope: Scope) =>
  scope === 'run' ? (
    <a href={hrefOf(narrowed({ request }))}>{request}</a>
  ) : (
    <RequestLink id={request} />
  )

/** The request of the run in the address. */
export function NamedRequest() {
  const { request } = route.value.query
  if (request === undefined) return null
  const sandbox = sandboxOf(request)
  return (
    <Beside label={request} onClose={() => narrow({ request: undefined })}>
      <h2>{request}</h2>
      <a href={hrefOf({ view: 'requests', sandbox })}>
        Requests of {sandbox === '' ? 'the base sandbox' : sandbox}
      </a>
      <Read from={() => control('GET /run')} by={request}>
        {({ requests }) => {
          const found = requests.find(call => call.request === request)
          if (found === undefined)
            return (
              <p>This request is not in the report of the run, which lists the first 10,000.</p>
            )
          return (
            <Json
              value={found.entry ?? found}
              label={request}
              hrefOfText={text => recordAddress(text, sandbox)}
            />
          )
        }}
      </Read>
    </Beside>
  )
}
