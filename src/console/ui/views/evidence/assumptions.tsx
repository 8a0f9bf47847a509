/** What responses relied on where the reference is silent, by the share of requests. */
import { hrefOf } from '../../app/route.js'
import { Meter } from '../../components/layout.js'
import { linked, listed } from '../../components/links.js'
import type { Scope, ShownAssumption } from '../../control/client.js'
import { namedLink } from './request-link.js'
import { percentOf } from './words.js'

const SHOWN_CALLS = 3

type Data = readonly [{ data: readonly ShownAssumption[] }, calls: number]

export const Assumptions = ({ data: [{ data }, calls], scope }: { data: Data; scope: Scope }) => (
  <>
    <p class="hint">
      An assumption is how the emulator responds where the reference is silent. A setting changes
      most of them. {data.flatMap(({ id, standing }) => (standing ? [id] : [])).join(', ')} apply to
      every response, so they are not counted.
    </p>
    <ul class="assumptions">
      {data
        .filter(({ standing }) => !standing)
        .sort((one, other) => other.times - one.times)
        .map(row => (
          <Assumption key={row.id} {...row} calls={calls} scope={scope} />
        ))}
    </ul>
  </>
)

function Assumption({
  id,
  topic,
  default: text,
  settings,
  times,
  requests,
  calls,
  scope
}: ShownAssumption & { calls: number; scope: Scope }) {
  return (
    <li class={times === 0 ? 'card stack unused' : 'card stack'} aria-label={`${id} ${topic}`}>
      <div class="row">
        <h2>{`${id} ${topic}`}</h2>
        <span class="share">
          {times === 0
            ? 'no response relied on it'
            : `${times} of ${calls} requests, ${percentOf(times, calls)}`}
        </span>
      </div>
      <Meter
        max={Math.max(calls, 1)}
        value={times}
        label={`Share of requests that relied on ${id}`}
      />
      <p>{text}</p>
      <p class="hint">
        {Object.keys(settings).length === 0
          ? 'No setting changes it.'
          : listed(Object.keys(settings), name => [
              linked(name, hrefOf({ view: 'behaviour', path: ['settings'], query: { q: name } })),
              ': ',
              <code key="value">{JSON.stringify(settings[name])}</code>
            ])}
      </p>
      {requests.length > 0 && (
        <p class="hint">
          For example {listed(requests.slice(0, SHOWN_CALLS), request => namedLink(request, scope))}
        </p>
      )}
    </li>
  )
}
