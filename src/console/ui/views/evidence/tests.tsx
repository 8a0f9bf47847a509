/** What each test of the run did, by the name in the header of its requests. */
import { WideTable } from '../../components/layout.js'
import { linked } from '../../components/links.js'
import { Empty } from '../../components/states.js'
import type { RunReport } from '../../control/client.js'
import { testAddress } from '../record-address.js'

const HEADS = ['Test', 'Requests', 'Refused', 'Rules passed', 'Rules violated', 'Findings']

export function Tests({ data: { tests, omitted } }: { data: RunReport }) {
  const isNamed = tests.some(({ test }) => test !== null)
  if (tests.length === 0) return <Empty title="No requests yet" icon="evidence" />
  return (
    <>
      <p class="hint">
        {!isNamed &&
          'No request has named its test yet. Send the header Test-Name with each request to tell the tests apart. '}
        {omitted.by_test > 0 && `${omitted.by_test} requests of other tests are not counted here.`}
      </p>
      <WideTable label="What each test did" heads={HEADS} rows={tests.map(cellsOf)} />
    </>
  )
}

const cellsOf = ({ test, calls, refused, kept, broken, findings }: RunReport['tests'][number]) => [
  test === null ? <i key="test">no test</i> : linked(test, testAddress(test)),
  calls,
  refused,
  <span key="passed" title={kept.join(', ')}>
    {kept.length}
  </span>,
  broken.join(', ') || 'none',
  findings.map(({ finding, times }) => `${finding} ×${times}`).join(', ') || 'none'
]
