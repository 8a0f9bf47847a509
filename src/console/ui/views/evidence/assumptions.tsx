/** What answers relied on where the reference is silent, by the share of calls. */
import { useResource } from '../../app/resource.js'
import { hrefOf } from '../../app/route.js'
import { Loaded } from '../../components/states.js'
import { api, type Scope, type ShownAssumption } from '../../control/client.js'
import { CallLink } from './call-link.js'
import { percentOf } from './words.js'

/** Calls that are linked for one assumption. */
const SHOWN_CALLS = 3

export function Assumptions({ scope }: { scope: Scope }) {
  const resource = useResource(() => Promise.all([api.assumptions(scope), callsIn(scope)]), scope)
  return (
    <Loaded resource={resource}>
      {([{ data }, calls]) => {
        const counted = data.filter(({ standing }) => !standing).sort((one, other) => other.times - one.times)
        const standing = data.filter(row => row.standing)
        return (
          <>
            <p class="hint">
              An assumption is what the emulator answers where the reference is silent. A setting changes most of them.{' '}
              {standing.map(({ id }) => id).join(', ')} are behind every answer and are not counted.
            </p>
            <ul class="assumptions">
              {counted.map(row => (
                <Assumption key={row.id} row={row} calls={calls} scope={scope} />
              ))}
            </ul>
          </>
        )
      }}
    </Loaded>
  )
}

const callsIn = async (scope: Scope): Promise<number> => (await (scope === 'run' ? api.run() : api.overview())).calls

function Assumption({ row, calls, scope }: { row: ShownAssumption; calls: number; scope: Scope }) {
  const { id, topic, default: text, settings, times, requests } = row
  return (
    <li class={times === 0 ? 'card unused' : 'card'} aria-label={`${id} ${topic}`}>
      <div class="row">
        <h2>
          {id} {topic}
        </h2>
        <span class="share">{times === 0 ? 'no answer relied on it' : `${times} of ${calls} calls, ${percentOf(times, calls)}`}</span>
      </div>
      <meter min={0} max={Math.max(calls, 1)} value={times} aria-label={`Share of calls that relied on ${id}`}>
        {percentOf(times, calls)}
      </meter>
      <p>{text}</p>
      <p class="hint">
        {Object.keys(settings).length === 0
          ? 'No setting changes it.'
          : Object.entries(settings).map(([name, value], place) => (
              <span key={name}>
                {place > 0 && ', '}
                <a href={hrefOf({ view: 'behaviour', path: ['settings'], query: { q: name } })}>{name}</a>: <code>{JSON.stringify(value)}</code>
              </span>
            ))}
      </p>
      {requests.length > 0 && (
        <p class="hint">
          For example{' '}
          {requests.slice(0, SHOWN_CALLS).map((request, place) => (
            <span key={request}>
              {place > 0 && ', '}
              <CallLink request={request} scope={scope} />
            </span>
          ))}
        </p>
      )}
    </li>
  )
}
