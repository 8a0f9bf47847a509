/** The client's mistakes, the severe ones first, each with what to do and the requests that show it. */
import { Empty, Read } from '../../components/states.js'
import { api, type FindingsReport, type Scope } from '../../control/client.js'
import { NamedLink } from './request-link.js'

type Finding = FindingsReport['data'][number]

const GROUPS = [
  { severity: 'error', title: 'Errors', about: 'Money or data is at risk.', badge: 'bad' },
  { severity: 'warning', title: 'Warnings', about: 'Nothing is lost, but the client can do better.', badge: 'warn' }
] as const

export const Findings = ({ scope }: { scope: Scope }) => (
  <Read from={() => api.findings(scope)} by={scope} isEvidence>
    {({ data }) =>
      data.length === 0 ? (
        <Empty title="No findings" icon="evidence">
          <p>A finding is a mistake of your client that its requests show, such as a payment that was sent again after its response was lost.</p>
        </Empty>
      ) : (
        GROUPS.map(group => <Group key={group.severity} {...group} findings={data.filter(({ severity }) => severity === group.severity)} scope={scope} />)
      )
    }
  </Read>
)

type GroupProps = { title: string; about: string; badge: string; findings: readonly Finding[]; scope: Scope }

function Group({ title, about, badge, findings, scope }: GroupProps) {
  if (findings.length === 0) return null
  return (
    <section class="stack" aria-label={title}>
      <h2>
        {title} <span class={`badge ${badge}`}>{findings.length}</span>
      </h2>
      <p class="hint">{about}</p>
      {findings.map(({ finding, about, advice, times, requests }) => (
        <article key={finding} class="card stack" aria-label={finding}>
          <h3>
            {finding} <span class="badge">{times} ×</span>
          </h3>
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
        </article>
      ))}
    </section>
  )
}
