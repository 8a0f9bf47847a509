/** What each test of the run did, by the name in its calls' header. */
import { hrefOf } from '../../app/route.js'
import { Empty } from '../../components/states.js'
import type { RunReport } from '../../control/client.js'

export function Tests({ run }: { run: RunReport }) {
  const { tests, omitted } = run
  const isNamed = tests.some(({ test }) => test !== null)
  if (tests.length === 0) return <Empty title="No call has come yet." />
  return (
    <>
      <p class="hint">
        {!isNamed && 'No call has named its test so far: send the header Test-Name with each to tell the tests apart. '}
        {omitted.by_test > 0 && `${omitted.by_test} calls of further tests are not counted here.`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard */}
      <div class="wide-table" role="region" aria-label="What each test did" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Test</th>
              <th scope="col">Calls</th>
              <th scope="col">Refused</th>
              <th scope="col">Rules kept</th>
              <th scope="col">Rules broken</th>
              <th scope="col">Findings</th>
            </tr>
          </thead>
          <tbody>
            {tests.map(({ test, calls, refused, kept, broken, findings }) => (
              <tr key={test}>
                <th scope="row">{test === null ? <i>without a name</i> : <a href={hrefOf({ view: 'calls', query: { test } })}>{test}</a>}</th>
                <td>{calls}</td>
                <td>{refused}</td>
                <td title={kept.join(', ')}>{kept.length}</td>
                <td>{broken.join(', ') || 'none'}</td>
                <td>{findings.map(({ finding, times }) => `${finding} (${times} ×)`).join(', ') || 'none'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
