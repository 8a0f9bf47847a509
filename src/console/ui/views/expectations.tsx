/** What the loaded scenario expects, and what came of it. */
import { expectations } from '../app/store.js'
import { listed, NearMisses, requestLink } from '../components/links.js'
import type { ScenarioVerdict } from '../control/client.js'

const MARKS: Readonly<Record<ScenarioVerdict['verdict'], readonly [sign: string, kind: string]>> = {
  met: ['✓', 'good'],
  unmet: ['✗', 'bad'],
  'never exercised': ['–', 'faint']
}

export const Expectations = () =>
  expectations.value.length === 0 ? (
    <p class="faint">The loaded scenario expects nothing. Write what it expects under “expect”.</p>
  ) : (
    <ul class="lines">
      {expectations.value.map((expectation, place) => (
        <Expected key={place} {...expectation} />
      ))}
    </ul>
  )

function Expected({ wanted, verdict, seen, requests = [], message, near_misses }: ScenarioVerdict) {
  const [sign, kind] = MARKS[verdict]
  // the message begins with what is wanted
  const reason = message.includes('; ') ? message.slice(message.indexOf('; ') + 2) : message
  return (
    <li class="expected">
      <b class={kind} aria-hidden="true">
        {sign}
      </b>
      <div>
        <p>
          <span class="hidden">{verdict}: </span>
          wanted {wanted}
          {verdict === 'never exercised' && <span class="faint"> · not exercised</span>}
          {verdict === 'unmet' && (
            <>
              , {seen === undefined ? reason : `got ${seen}`}
              {requests.length > 0 && [' → ', listed(requests, requestLink)]}
            </>
          )}
        </p>
        <NearMisses near={near_misses} />
      </div>
    </li>
  )
}
