/** The client's mistakes, the severe ones first, each with what to do and the requests that show it. */
import { Card } from '../../components/layout.js'
import { Empty, Read } from '../../components/states.js'
import { api, type FindingsReport, type Scope } from '../../control/client.js'
import { NamedLink } from './request-link.js'

const SEVERITIES = {
  error: { badge: 'bad', about: 'Money or data is at risk.' },
  warning: { badge: 'warn', about: 'Nothing is lost, but the client can do better.' }
}

export const Findings = ({ scope }: { scope: Scope }) => (
  <Read from={() => api.findings(scope)} by={scope} isEvidence>
    {({ data }) =>
      data.length === 0 ? (
        <Empty title="No findings" icon="evidence">
          <p>A finding is a mistake of your client that its requests show, such as a payment that was sent again after its response was lost.</p>
        </Empty>
      ) : (
        Object.entries(SEVERITIES).flatMap(([severity, words]) =>
          data.filter(found => found.severity === severity).map(found => <Finding key={found.finding} found={found} {...words} scope={scope} />)
        )
      )
    }
  </Read>
)

type Props = { found: FindingsReport['data'][number]; badge: string; about: string; scope: Scope }

const Finding = ({ found: { finding, severity, about, advice, times, requests }, badge, about: meaning, scope }: Props) => (
  <Card
    id={finding}
    title={
      <>
        {finding}{' '}
        <span class={`badge ${badge}`} title={meaning}>
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
