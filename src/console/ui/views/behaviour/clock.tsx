/** The clock that stamps what is created: sets, freezes, advances and runs it. */
import { act, useDraft } from '../../app/command.js'
import { useResource } from '../../app/resource.js'
import { Button, Form } from '../../components/button.js'
import { ClockTime } from '../../components/clock-time.js'
import { TextField } from '../../components/fields.js'
import { instantInWords } from '../../components/instant.js'
import { Card } from '../../components/layout.js'
import { Read } from '../../components/states.js'
import { api } from '../../control/client.js'
import { beganInWords } from '../scenarios/changes-words.js'
import { REREAD_MS } from '../scenarios/command.js'

const STEPS = ['1m', '1h', '24h', '7d', '30d']

export function ClockTab() {
  const changed = useResource(api.changes, '', { every: REREAD_MS }).data?.clock
  return (
    <Read from={api.clock} every={REREAD_MS}>
      {clock => (
        <>
          <Card id="behaviour-clock" title="The clock">
            <p class="time">
              <ClockTime clock={clock} /> <span class={`badge ${clock.running ? 'good' : 'warn'}`}>{clock.running ? 'running' : 'frozen'}</span>
            </p>
            <p class="began faint">
              {changed && `It began ${beganInWords(changed.began)}; ${changed.changed ? 'it has been changed since' : 'it has not been changed since'}.`}
            </p>
            <div class="row">
              {clock.running ? (
                <Button text="Freeze" run={() => act(api.setClock({ running: false }), 'The clock is frozen')} />
              ) : (
                <Button text="Let it run" run={() => act(api.setClock({ running: true }), 'The clock runs')} />
              )}
              <p class="hint">It sets the creation times of records. Script entries use it for from, until and for, but not for delays.</p>
            </div>
          </Card>
          <Setting />
          <Advancing />
        </>
      )}
    </Read>
  )
}

function Setting() {
  const instant = useDraft()
  const set = (running?: boolean) =>
    instant.send(api.setClock({ now: instant.text.value.trim(), ...(running !== undefined && { running }) }), 'The clock is set')
  return (
    <Card id="behaviour-set" title="Set the clock">
      <Form class="stack" send={() => set()}>
        <TextField
          label="Instant"
          placeholder="2026-02-28T23:59:59Z"
          hint="ISO 8601, such as 2026-02-28T23:59:59Z or 2026-03-01; UTC if no offset is given."
          {...instant.field}
        />
        <div class="row">
          <Button class="primary" text="Set" />
          <Button text="Set and freeze" run={() => set(false)} />
          <Button text="Set and let it run" run={() => set(true)} />
          <Button text="Use the time of this machine" run={() => instant.write(new Date().toISOString())} />
        </div>
      </Form>
    </Card>
  )
}

function Advancing() {
  const by = useDraft()
  const advance = (length: string) => by.send(api.advanceClock(length), ({ now }) => `It is ${instantInWords(now)}`)
  return (
    <Card id="behaviour-advance" title="Advance the clock">
      <fieldset class="row">
        <legend class="hidden">Advance by</legend>
        {STEPS.map(step => (
          <Button key={step} text={step} run={() => advance(step)} />
        ))}
      </fieldset>
      <Form class="row aligned" send={() => advance(by.text.value.trim())}>
        <TextField label="Duration" placeholder="36h" hint="Such as 250ms, 90s, 36h, 7d or PT36H." {...by.field} />
        <Button text="Advance" />
      </Form>
    </Card>
  )
}
