/** The clock that stamps what is created: sets, freezes, advances and runs it. */
import { act, useDraft } from '../../app/command.js'
import { useResource } from '../../app/resource.js'
import { overview } from '../../app/store.js'
import { Button, Field, Form } from '../../components/controls.js'
import { Card } from '../../components/layout.js'
import { type ClockState, control } from '../../control/client.js'
import { instantInWords } from '../count.js'
import { beganInWords } from './changes-words.js'

export const ClockTab = () => overview.value && <Clock {...overview.value.clock} />

function Clock(clock: ClockState) {
  const changed = useResource(() => control('GET /changes')).data?.clock
  const instant = useDraft()
  const length = useDraft()
  const set = (more?: object) =>
    instant.send(
      control('PUT /clock', { body: { now: instant.text.value.trim(), ...more } }),
      'The clock is set'
    )
  const advance = (by: string) =>
    length.send(
      control('POST /clock/advance', { body: { by } }),
      ({ now }) => `Now: ${instantInWords(now)}`
    )
  const [action, done] = clock.running
    ? ['Freeze', 'The clock is frozen']
    : ['Resume', 'The clock runs']
  return (
    <Card id="scenario-clock" title="Clock">
      <div class="stack form">
        <div class="row">
          <p class="time">
            <time dateTime={clock.now}>{instantInWords(clock.now)}</time>
          </p>
          <span class="badge">{clock.running ? 'running' : 'frozen'}</span>
          <Button
            class="small"
            text={action}
            run={() => act(control('PUT /clock', { body: { running: !clock.running } }), done)}
          />
        </div>
        <p class="hint">
          {changed &&
            `It began ${beganInWords(changed.began)}; it has ${changed.changed ? '' : 'not '}been changed since. `}
          It stamps records and drives a script’s from, until, for and stale, but not its delays.
        </p>
        <Form class="row aligned" send={() => advance(length.text.value.trim())}>
          <Field
            label="Advance by"
            placeholder="36h"
            hint="Such as 250ms, 90s, 36h, 7d or PT36H."
            {...length.field}
          />
          <Button text="Advance" />
        </Form>
        <Form class="stack" send={() => set()}>
          <Field
            label="Set to"
            placeholder="2026-02-28T23:59:59Z"
            hint="ISO 8601, such as 2026-02-28T23:59:59Z or 2026-03-01; UTC if no offset is given."
            {...instant.field}
          />
          <div class="row">
            <Button class="primary" text="Set" />
            <Button text="Set and freeze" run={() => set({ running: false })} />
            <Button text="Set and run" run={() => set({ running: true })} />
            <Button text="Now" run={() => instant.write(new Date().toISOString())} />
          </div>
        </Form>
      </div>
    </Card>
  )
}
