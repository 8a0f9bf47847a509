/** What each test of the run did, by the name in the header of its requests. */
import { hrefOf } from '../../app/route.js'
import { Read } from '../../components/read.js'
import { Empty } from '../../components/states.js'
import { Table } from '../../components/table.js'
import { api, type RunReport } from '../../control/client.js'
import { withTerm } from '../requests/query.js'

export const Tests = () => (
  <Read from={api.run} isEvidence>
    {shown}
  </Read>
)

const HEADS = ['Test', 'Requests', 'Refused', 'Rules kept', 'Rules broken', 'Findings']

function shown({ tests, omitted }: RunReport) {
  const isNamed = tests.some(({ test }) => test !== null)
  if (tests.length === 0) return <Empty title="No requests yet" />
  return (
    <>
      <p class="hint">
        {!isNamed && 'No request has named its test yet. Send the header Test-Name with each request to tell the tests apart. '}
        {omitted.by_test > 0 && `${omitted.by_test} requests of other tests are not counted here.`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard */}
      <div class="wide-table" role="region" aria-label="What each test did" tabIndex={0}>
        <Table heads={HEADS} rows={tests.map(cellsOf)} />
      </div>
    </>
  )
}

const cellsOf = ({ test, calls, refused, kept, broken, findings }: RunReport['tests'][number]) => [
  <th key="test" scope="row">
    {test === null ? <i>without a name</i> : <a href={hrefOf({ view: 'requests', query: { q: withTerm('', 'test', test) } })}>{test}</a>}
  </th>,
  calls,
  refused,
  <td key="kept" title={kept.join(', ')}>
    {kept.length}
  </td>,
  broken.join(', ') || 'none',
  findings.map(({ finding, times }) => `${finding} (${times} ×)`).join(', ') || 'none'
]
