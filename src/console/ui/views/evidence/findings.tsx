/** The client's mistakes, the severe ones first, each with what to do and the requests that show it. */
import { Card } from '../../components/layout.js'
import { Empty } from '../../components/states.js'
import type { FindingsReport, Scope } from '../../control/client.js'
import { NamedLink } from './request-link.js'

const SEVERITIES = {
  error: { badge: 'bad', about: 'Money or data is at risk.' },
  warning: { badge: 'warn', about: 'Nothing is lost, but the client can do better.' }
}

export const Findings = ({ data: { data }, scope }: { data: FindingsReport; scope: Scope }) =>
  data.length === 0 ? (
    <Empty title="No findings" icon="evidence">
      <p>A finding is a mistake of your client that its requests show, such as a payment that was sent again after its response was lost.</p>
    </Empty>
  ) : (
    data.map(found => <Finding key={found.finding} {...found} scope={scope} />)
  )

type Props = FindingsReport['data'][number] & { scope: Scope }

const Finding = ({ finding, severity, about, advice, times, requests, scope }: Props) => (
  <Card
    id={finding}
    title={
      <>
        {finding}{' '}
        <span class={`badge ${SEVERITIES[severity].badge}`} title={SEVERITIES[severity].about}>
          {severity}
        </span>{' '}
        <span class="badge">{times} ×</span>
      </>
    }
  >
    <p>{about}</p>
    <p>
      <b>What to do:</b> {advice}
    </p>
    <ul class="row" aria-label={`Requests of ${finding}`}>
      {requests.map(request => (
        <li key={request}>
          <NamedLink request={request} scope={scope} />
        </li>
      ))}
    </ul>
  </Card>
)
