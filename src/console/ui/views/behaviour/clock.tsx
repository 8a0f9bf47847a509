/** The clock that stamps what is created: sets, freezes, advances and runs it. */
import { act } from '../../app/command.js'
import { useResource } from '../../app/resource.js'
import { ClockTime } from '../../components/clock-time.js'
import { TextField } from '../../components/fields.js'
import { instantInWords } from '../../components/instant.js'
import { Loaded } from '../../components/states.js'
import { api } from '../../control/client.js'
import { beganInWords } from './changes-words.js'
import { REREAD_MS } from './command.js'
import { useTyped } from './typed.js'

const STEPS = ['1m', '1h', '24h', '7d', '30d']

export function ClockTab() {
  const clock = useResource(api.clock, '', { every: REREAD_MS })
  const changes = useResource(api.changes, '', { every: REREAD_MS })
  return (
    <Loaded resource={clock}>
      {clock => (
        <>
          <section class="card" aria-labelledby="behaviour-clock">
            <h2 id="behaviour-clock">The clock</h2>
            <p class="behaviour-time">
              <ClockTime clock={clock} /> <span class={`badge ${clock.running ? 'good' : 'warn'}`}>{clock.running ? 'running' : 'frozen'}</span>
            </p>
            <p class="faint behaviour-began">
              {changes.data &&
                `It began ${beganInWords(changes.data.clock.began)}; ${changes.data.clock.changed ? 'it was changed since' : 'it was not changed since'}.`}
            </p>
            <div class="row">
              {clock.running ? (
                <button type="button" onClick={() => void act(() => api.setClock({ running: false }), 'The clock is frozen')}>
                  Freeze
                </button>
              ) : (
                <button type="button" onClick={() => void act(() => api.setClock({ running: true }), 'The clock runs')}>
                  Let it run
                </button>
              )}
              <p class="hint">The creation times of records come from it, and script entries go by it for from, until and for. Delays do not.</p>
            </div>
          </section>
          <Setting />
          <Advancing />
        </>
      )}
    </Loaded>
  )
}

function Setting() {
  const instant = useTyped()
  const set = (running?: boolean) =>
    instant.send(() => api.setClock({ now: instant.text.value.trim(), ...(running !== undefined && { running }) }), 'The clock is set')
  return (
    <section class="card" aria-labelledby="behaviour-set">
      <h2 id="behaviour-set">Set it</h2>
      <form
        class="behaviour-form"
        onSubmit={event => {
          event.preventDefault()
          void set()
        }}
      >
        <TextField
          label="Instant"
          placeholder="2026-02-28T23:59:59Z"
          hint="ISO 8601, such as 2026-02-28T23:59:59Z or 2026-03-01; UTC where no offset is given."
          {...instant.field}
        />
        <div class="row">
          <button type="submit" class="primary">
            Set
          </button>
          <button type="button" onClick={() => void set(false)}>
            Set and freeze
          </button>
          <button type="button" onClick={() => void set(true)}>
            Set and let it run
          </button>
          <button type="button" onClick={() => instant.write(new Date().toISOString())}>
            Fill in the time of this machine
          </button>
        </div>
      </form>
    </section>
  )
}

function Advancing() {
  const by = useTyped()
  const advance = (length: string) =>
    by.send(
      () => api.advanceClock(length),
      ({ now }) => `It is ${instantInWords(now)}`
    )
  return (
    <section class="card" aria-labelledby="behaviour-advance">
      <h2 id="behaviour-advance">Advance it</h2>
      <fieldset class="row">
        <legend class="hidden">Advance by</legend>
        {STEPS.map(step => (
          <button key={step} type="button" onClick={() => void advance(step)}>
            {step}
          </button>
        ))}
      </fieldset>
      <form
        class="row behaviour-aligned"
        onSubmit={event => {
          event.preventDefault()
          void advance(by.text.value.trim())
        }}
      >
        <TextField label="Length of time" placeholder="36h" hint="Such as 250ms, 90s, 36h, 7d or PT36H." {...by.field} />
        <button type="submit">Advance</button>
      </form>
    </section>
  )
}
