/** Named states of a sandbox. */
import { text } from '../../reference/parameters.js'
import { checkedName } from '../../sandbox/saved/names.js'
import { CHANGES, type Rows } from '../route.js'
import { CLOCK, listing, response } from '../schemas.js'
import { clockState } from './clock.js'

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
    does: 'Restores a snapshot; the journal stays.',
    ...CHANGES,
    response: SNAPSHOT,
    run: async ({ sandbox, name }) => {
      const saved = await sandbox.snapshots.get(checkedName(name), sandbox.settings)
      sandbox.restore(saved)
      return { name, scenario: saved.first.scenario.name, clock: clockState(sandbox.clock) }
    }
  },
  'DELETE /snapshots/NAME': {
    does: 'Deletes a snapshot.',
    run: ({ sandbox, name }) => sandbox.snapshots.delete(checkedName(name))
  }
}
