/**
 * The client's mistakes, the severe ones first, each with what to do and the requests that show it.
 */
import { listed, namedLink } from '../../components/links.js'
import type { FindingsReport } from '../../control/client.js'
import { Badge } from '../requests/marks.js'

const SEVERITIES = {
  error: { kind: 'bad', title: 'Money or data is at risk' },
  warning: { kind: 'warn', title: 'Nothing is lost, but the client can do better' }
}

export const Findings = ({ data: { data } }: { data: FindingsReport }) =>
  data.length === 0 ? (
    <p class="faint">
      No findings. A finding is a mistake of your client that its requests show, such as a payment
      that was sent again after its response was lost.
    </p>
  ) : (
    <ul class="lines">
      {data.map(found => (
        <Finding key={found.finding} {...found} />
      ))}
    </ul>
  )

const Finding = ({
  finding,
  severity,
  about,
  advice,
  times,
  requests
}: FindingsReport['data'][number]) => (
  <li class="stack">
    <h3>
      {finding} <Badge text={severity} {...SEVERITIES[severity]} /> <Badge text={`×${times}`} />
    </h3>
    <p>
      {about} {advice}
    </p>
    <p class="faint">{listed(requests, namedLink)}</p>
  </li>
)
