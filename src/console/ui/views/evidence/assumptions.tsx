/** What responses relied on where the reference is silent, by the share of requests. */
import { hrefOf } from '../../app/route.js'
import { Meter } from '../../components/layout.js'
import { linked, listed, namedLink } from '../../components/links.js'
import type { ShownAssumption } from '../../control/client.js'
import { percentOf } from './words.js'

const SHOWN_CALLS = 3

type Data = readonly [{ data: readonly ShownAssumption[] }, calls: number]

export const Assumptions = ({ data: [{ data }, calls] }: { data: Data }) => (
  <>
    <p class="hint">
      An assumption is how the emulator responds where the reference is silent.{' '}
      {data.flatMap(({ id, standing }) => (standing ? [id] : [])).join(', ')} apply to every
      response, so they are not counted.
    </p>
    <ul class="lines">
      {data
        .filter(({ standing }) => !standing)
        .sort((one, other) => other.times - one.times)
        .map(row => (
          <Assumption key={row.id} {...row} calls={calls} />
        ))}
    </ul>
  </>
)

type Props = ShownAssumption & { calls: number }

const Assumption = ({ id, topic, times, requests, calls, ...rest }: Props) => (
  <li class={`assumption ${times === 0 ? 'unused' : ''}`} aria-label={`${id} ${topic}`}>
    <details>
      <summary>{`${id} ${topic}`}</summary>
      <p>{rest.default}</p>
      <p class="hint">
        {listed(Object.keys(rest.settings), name => [
          linked(name, hrefOf({ view: 'settings', query: { q: name } })),
          ': ',
          <code key="value">{JSON.stringify(rest.settings[name])}</code>
        ])}
      </p>
      {requests.length > 0 && (
        <p class="hint">For example {listed(requests.slice(0, SHOWN_CALLS), namedLink)}</p>
      )}
    </details>
    <Meter
      max={Math.max(calls, 1)}
      value={times}
      label={`Share of requests that relied on ${id}`}
    />
    <span class="number">
      {times === 0 ? 'not used' : `${times} of ${calls}, ${percentOf(times, calls)}`}
    </span>
  </li>
)
