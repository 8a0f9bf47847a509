import type { Group, Row } from './row.js'
import { CLOCK_ROWS, SNAPSHOT_ROWS } from './subjects/clock.js'
import { DOCUMENT_ROWS, FILE_ROWS } from './subjects/documents.js'
import { EVIDENCE_ROWS } from './subjects/evidence.js'
import { EXPLAIN_ROWS } from './subjects/explain.js'
import { JOURNAL_ROWS } from './subjects/journal.js'
import { OVERVIEW_ROWS } from './subjects/overview.js'
import { SANDBOX_ROWS } from './subjects/sandboxes.js'
import { SCENARIO_ROWS } from './subjects/scenarios.js'
import { SCRIPT_ROWS } from './subjects/script.js'
import { SETTINGS_ROWS } from './subjects/settings.js'
import { STATE_ROWS } from './subjects/state.js'
import { VERIFY_ROWS } from './subjects/verify.js'

export const CONTROL_GROUPS: readonly Group[] = [
  { title: 'State', rows: { ...OVERVIEW_ROWS, ...SCENARIO_ROWS, ...STATE_ROWS } },
  { title: 'Sandboxes', rows: SANDBOX_ROWS },
  { title: 'Script and gates', rows: SCRIPT_ROWS },
  { title: 'Clock and snapshots', rows: { ...CLOCK_ROWS, ...SNAPSHOT_ROWS } },
  {
    title: 'Evidence',
    rows: { ...JOURNAL_ROWS, ...EXPLAIN_ROWS, ...VERIFY_ROWS, ...EVIDENCE_ROWS }
  },
  { title: 'Settings and descriptions', rows: { ...SETTINGS_ROWS, ...DOCUMENT_ROWS } }
]

export const ALL_ROWS: readonly [on: string, row: Row][] = [
  ...CONTROL_GROUPS.map(({ rows }) => rows),
  FILE_ROWS
].flatMap(Object.entries<Row>)
