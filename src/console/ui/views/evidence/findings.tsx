/**
 * The client's mistakes, the severe ones first, each with what to do and the requests that show it.
 */
import { Card } from '../../components/layout.js'
import { listed } from '../../components/links.js'
import { Empty } from '../../components/states.js'
import type { FindingsReport, Scope } from '../../control/client.js'
import { Badge } from '../requests/marks.js'
import { namedLink } from './request-link.js'

const SEVERITIES = {
  error: { kind: 'bad', title: 'Money or data is at risk.' },
  warning: { kind: 'warn', title: 'Nothing is lost, but the client can do better.' }
}

export const Findings = ({ data: { data }, scope }: { data: FindingsReport; scope: Scope }) =>
  data.length === 0 ? (
    <Empty title="No findings" icon="evidence">
      <p>
        A finding is a mistake of your client that its requests show, such as a payment that was
        sent again after its response was lost.
      </p>
    </Empty>
  ) : (
    data.map(found => <Finding key={found.finding} {...found} scope={scope} />)
  )

const Finding = ({
  finding,
  severity,
  about,
  advice,
  times,
  requests,
  scope
}: FindingsReport['data'][number] & { scope: Scope }) => (
  <Card
    id={finding}
    title={
      <>
        {finding} <Badge text={severity} {...SEVERITIES[severity]} /> <Badge text={`${times} ×`} />
      </>
    }
  >
    <p>{about}</p>
    <p>
      <b>What to do:</b> {advice}
    </p>
    <p>Requests: {listed(requests, request => namedLink(request, scope))}</p>
  </Card>
)
