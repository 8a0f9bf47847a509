/** The clock that stamps `created`, and named states. */
import * as Type from 'typebox'
import type { Clock } from '../../core/clock.js'
import { durationOf, instantOf, isoOf, LATEST_INSTANT } from '../../core/instants.js'
import { closed, optional, text } from '../../reference/parameters.js'
import { checkedName } from '../../sandbox/saved/names.js'
import { CHANGES, type Rows, row } from '../row.js'
import { CLOCK, listing, response } from '../schemas.js'
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

const SNAPSHOT = response('SnapshotState', { name: text(), scenario: text(), clock: CLOCK })

export const SNAPSHOT_ROWS: Rows = {
  'GET /snapshots': {
    does: 'Lists the names of the snapshots.',
    response: listing(response('SnapshotName', { name: text() })),
    run: async ({ sandbox }) => ({
      data: (await sandbox.snapshots.names()).map(name => ({ name }))
    })
  },
  'PUT /snapshots/NAME': {
    does: 'Saves the current state under a name. With `--snapshots-dir` it survives a restart, in `lunch.json` for `lunch` and `~lunch.json` for `Lunch`.',
    makesSandbox: true,
    adds: true,
    status: 201,
    response: SNAPSHOT,
    run: async ({ sandbox, name }) => {
      await sandbox.snapshots.put(checkedName(name), sandbox.snapshot())
      return { name, scenario: sandbox.scenario.name, clock: clockState(sandbox.clock) }
    }
  },
  'POST /snapshots/NAME/restore': {
    does: 'Restores a snapshot; the journal stays unchanged.',
    ...CHANGES,
    response: SNAPSHOT,
    run: async ({ sandbox, name }) => {
      const saved = await sandbox.snapshots.get(checkedName(name))
      sandbox.restore(saved)
      return { name, scenario: saved.first.scenario.name, clock: clockState(sandbox.clock) }
    }
  },
  'DELETE /snapshots/NAME': {
    does: 'Deletes a snapshot.',
    run: ({ sandbox, name }) => sandbox.snapshots.delete(checkedName(name))
  }
}
