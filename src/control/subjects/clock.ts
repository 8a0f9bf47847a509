/** The clock that stamps `created`. */
import * as Type from 'typebox'
import type { Clock } from '../../core/clock.js'
import { durationOf } from '../../core/durations.js'
import { instantOf, isoOf, LATEST_INSTANT } from '../../core/instants.js'
import { closed, optional, text } from '../../reference/parameters.js'
import { CHANGES, type Rows, row } from '../route.js'
import { CLOCK } from '../schemas.js'
import { REFUSALS } from '../sentences.js'

export const clockState = (clock: Clock) => ({ now: isoOf(clock.now()), running: clock.running })

export const CLOCK_ROWS: Rows = {
  'GET /clock': {
    does: 'Returns the clock that stamps `created`.',
    response: CLOCK,
    run: ({ sandbox }) => clockState(sandbox.clock)
  },
  'PUT /clock': row({
    does: 'Sets the clock, freezes it or lets it run.',
    body: {
      example: '{"now":"2026-02-28T23:59:59Z","running":false}',
      schema: () =>
        closed({ now: optional(text({ format: 'instant' })), running: optional(Type.Boolean()) })
    },
    ...CHANGES,
    response: CLOCK,
    run: ({ sandbox, body: { now, running } }) => {
      if (now === undefined && running === undefined) throw REFUSALS.clockEmpty()
      sandbox.setClock({
        ...(now !== undefined && { at: instantOf(now) as number }),
        ...(running !== undefined && { running })
      })
      return clockState(sandbox.clock)
    }
  }),
  'POST /clock/advance': row({
    does: 'Moves the clock forward.',
    body: {
      example: '{"by":"36h"}',
      schema: () => closed({ by: Type.String({ format: 'duration' }) })
    },
    ...CHANGES,
    response: CLOCK,
    run: ({ sandbox, body: { by } }) => {
      const ms = durationOf(by) as number
      if (sandbox.clock.now() + ms > LATEST_INSTANT) throw REFUSALS.clockEnd(by)
      sandbox.setClock({ by: ms })
      return clockState(sandbox.clock)
    }
  })
}
