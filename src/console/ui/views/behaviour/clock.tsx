/** The clock that stamps what is created: sets, freezes, advances and runs it. */
import { act, useDraft } from '../../app/command.js'
import { useResource } from '../../app/resource.js'
import { Button, Form } from '../../components/button.js'
import { ClockTime } from '../../components/clock-time.js'
import { Field } from '../../components/fields.js'
import { instantInWords } from '../../components/instant.js'
import { Card } from '../../components/layout.js'
import { Read } from '../../components/states.js'
import { type ClockState, control } from '../../control/client.js'
import { beganInWords } from '../scenarios/changes-words.js'
import { REREAD_MS } from '../scenarios/command.js'

export const ClockTab = () => (
  <Read from={() => control('GET /clock')} every={REREAD_MS}>
    {clock => <Clock clock={clock} />}
  </Read>
)

function Clock({ clock }: { clock: ClockState }) {
  const changed = useResource(() => control('GET /changes'), '', { every: REREAD_MS }).data?.clock
  const instant = useDraft()
  const length = useDraft()
  const [state, action, done] = clock.running
    ? ['running', 'Freeze', 'The clock is frozen']
    : ['frozen', 'Let it run', 'The clock runs']
  const set = (more?: object) =>
    instant.send(
      control('PUT /clock', { body: { now: instant.text.value.trim(), ...more } }),
      'The clock is set'
    )
  const advance = (by: string) =>
    length.send(
      control('POST /clock/advance', { body: { by } }),
      ({ now }) => `It is ${instantInWords(now)}`
    )
  return (
    <>
      <Card id="behaviour-clock" title="The clock">
        <p class="time">
          <ClockTime clock={clock} />{' '}
          <span class={`badge ${clock.running ? 'good' : 'warn'}`}>{state}</span>
        </p>
        <p class="began faint">
          {changed &&
            `It began ${beganInWords(changed.began)}; ${changed.changed ? 'it has been changed since' : 'it has not been changed since'}.`}
        </p>
        <div class="row">
          <Button
            text={action}
            run={() => act(control('PUT /clock', { body: { running: !clock.running } }), done)}
          />
          <p class="hint">
            It sets the creation times of records. Script entries use it for from, until, at, for
            and stale, but not for delays.
          </p>
        </div>
      </Card>
      <Card id="behaviour-set" title="Set the clock">
        <Form class="stack" send={() => set()}>
          <Field
            label="Instant"
            placeholder="2026-02-28T23:59:59Z"
            hint="ISO 8601, such as 2026-02-28T23:59:59Z or 2026-03-01; UTC if no offset is given."
            {...instant.field}
          />
          <div class="row">
            <Button class="primary" text="Set" />
            <Button text="Set and freeze" run={() => set({ running: false })} />
            <Button text="Set and let it run" run={() => set({ running: true })} />
            <Button
              text="Use the time of this machine"
              run={() => instant.write(new Date().toISOString())}
            />
          </div>
        </Form>
      </Card>
      <Card id="behaviour-advance" title="Advance the clock">
        <fieldset class="row">
          <legend class="hidden">Advance by</legend>
          {['1m', '1h', '24h', '7d', '30d'].map(step => (
            <Button key={step} text={step} run={() => advance(step)} />
          ))}
        </fieldset>
        <Form class="row aligned" send={() => advance(length.text.value.trim())}>
          <Field
            label="Duration"
            placeholder="36h"
            hint="Such as 250ms, 90s, 36h, 7d or PT36H."
            {...length.field}
          />
          <Button text="Advance" />
        </Form>
      </Card>
    </>
  )
}
