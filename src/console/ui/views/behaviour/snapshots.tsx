/** Snapshots: named states to come back to. */
import { act } from '../../app/command.js'
import { useResource } from '../../app/resource.js'
import { TextField } from '../../components/fields.js'
import { Loaded } from '../../components/states.js'
import { api } from '../../control/client.js'
import { remove } from './command.js'
import { useTyped } from './typed.js'

const HEADING = 'behaviour-snapshots'

export function Snapshots() {
  const snapshots = useResource(api.snapshots)
  const name = useTyped()
  const take = async (event: Event) => {
    event.preventDefault()
    const taken = name.text.value.trim()
    if (taken === '') name.problem.value = 'A name was expected, such as lunch.'
    else if (await name.send(() => api.takeSnapshot(taken), `The snapshot ${taken} is saved`)) name.write('')
  }
  return (
    <section class="card" aria-labelledby={HEADING}>
      <h2 id={HEADING} tabIndex={-1}>
        Snapshots
      </h2>
      <p class="hint">A snapshot holds records, keys, ids, seed, clock and script counts. It outlives resets and loads.</p>
      <Loaded resource={snapshots}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="faint">There is none yet.</p>
          ) : (
            <ul class="behaviour-list">
              {data.map(({ name }) => (
                <li key={name} class="row behaviour-entry">
                  <span class="behaviour-grow">{name}</span>
                  <div class="row">
                    <button
                      type="button"
                      aria-label={`Restore ${name}`}
                      onClick={() => void act(() => api.restoreSnapshot(name), `The snapshot ${name} is restored`)}
                    >
                      Restore
                    </button>
                    <button
                      type="button"
                      class="danger"
                      aria-label={`Delete ${name}`}
                      onClick={() => void remove(() => api.deleteSnapshot(name), `The snapshot ${name} is deleted`, HEADING)}
                    >
                      Delete
                    </button>
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <form class="row behaviour-aligned" onSubmit={event => void take(event)}>
        <TextField label="Name of the snapshot" hint="One of the same name is replaced." {...name.field} />
        <button type="submit">Save a snapshot</button>
      </form>
    </section>
  )
}
