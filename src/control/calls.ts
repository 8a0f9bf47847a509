/** The calls of the control API in words: what each does, and what its query and body take. A test holds the table to the routes. */

export type ControlCall = {
  does: string
  /** The parameters of the query, by name. */
  query?: Readonly<Record<string, string>>
  /** A body that it takes. */
  body?: string
}
type ControlGroup = { title: string; calls: Readonly<Record<string, ControlCall>> }

const RUN = '`sandbox`, the default: since the last load or reset. `run`: over every sandbox, load and reset of the process.'

/** The calls by subject. A name is a method and the path below `/_control`. */
export const CONTROL_GROUPS: readonly ControlGroup[] = [
  {
    title: 'State',
    calls: {
      'GET /': {
        does: 'Version, scenario, seed, clock, counts of calls and records, and links. In a browser the console: calls, data, behaviour, evidence.'
      },
      'GET /health': { does: '200 once the start scenario is loaded, 503 before. Needs no token.' },
      'POST /reset': { does: "Back to the loaded scenario's first state." },
      'POST /load': {
        does: 'Replaces everything by a scenario: by name, as JSON, or as a YAML document with the content type `application/yaml`. All or nothing. `vars` gives its variables values.',
        query: { dry_run: '`1` or `true`: the document is only checked.' },
        body: '{"scenario":"default"}'
      },
      'GET /changes': { does: "What differs from the loaded scenario's first state: records, keys, clock, script, settings." },
      'GET /scenarios': { does: 'What can be loaded, with the name that each gives itself, its description, and its variables with their defaults.' },
      'GET /state': {
        does: 'The whole state as a fixture, to be saved and loaded again.',
        query: { format: '`json`, the default, or `yaml`.' }
      },
      'POST /records': {
        does: 'Merges a fixture into the running state, all or nothing, and returns the records.',
        body: '{"tickets":[{"location":"loc_bistro","reference":"T-61"}]}'
      },
      'GET /keys': { does: 'The API keys, each with its Account.' },
      'POST /keys': { does: 'A new API key for an Account.', body: '{"account":"mch_bistro"}' }
    }
  },
  {
    title: 'Sandboxes',
    calls: {
      'GET /sandboxes': { does: 'The named sandboxes.' },
      'DELETE /sandboxes/NAME': { does: 'Deletes a sandbox.' }
    }
  },
  {
    title: 'Script and gates',
    calls: {
      'GET /script': { does: 'The script entries, with how many calls each matched and to how many it was applied.' },
      'POST /script': {
        does: 'Adds a script entry.',
        body: '{"on":"POST /transactions","calls":1,"respond":{"status":402}}'
      },
      'DELETE /script': { does: 'Removes every script entry.' },
      'DELETE /script/ID': { does: 'Removes one script entry.' },
      'GET /gates': { does: 'The gates at which script entries hold calls, with the calls that wait.' },
      'POST /gates/NAME/open': {
        does: 'Lets the calls at a gate go on, in the order in which they came or the last one first. Without a body: in order.',
        body: '{"release":"reverse"}'
      }
    }
  },
  {
    title: 'Clock and snapshots',
    calls: {
      'GET /clock': { does: 'The clock that stamps `created`.' },
      'PUT /clock': { does: 'Sets the clock, freezes it or lets it run.', body: '{"now":"2026-02-28T23:59:59Z","running":false}' },
      'POST /clock/advance': { does: 'Sets the clock forward.', body: '{"by":"36h"}' },
      'GET /snapshots': { does: 'The names of the snapshots.' },
      'PUT /snapshots/NAME': {
        does: 'Keeps the present state under a name. With `--snapshots-dir` it outlives the process, in `lunch.json` for `lunch` and `~lunch.json` for `Lunch`.'
      },
      'POST /snapshots/NAME/restore': { does: 'Restores a snapshot.' },
      'DELETE /snapshots/NAME': { does: 'Deletes a snapshot.' }
    }
  },
  {
    title: 'Evidence',
    calls: {
      'GET /requests': {
        does: 'The journal: the last calls of the emulated API, newest first.',
        query: {
          on: 'An operation, such as `POST /refunds` or `GET /tickets/{id}`.',
          rule: 'The id of a rule, `REF-7`: calls that kept or broke it.',
          scope: '`sandbox`, the default, or `run`: calls of every sandbox.',
          status: 'A status, `404`, or a class of them, `4xx`.',
          since: 'Calls after a request id, or from an instant on.',
          limit: 'At most this many, 1 to 1000; 100 when left out.',
          format: '`json`, the default, or `scenario`: the calls since the last load or reset as a scenario that plays them again.'
        }
      },
      'GET /requests/ID': {
        does: 'One call, and why it was answered so.',
        query: { format: '`json`, the default, `text`, or `scenario`: the smallest scenario in which the call is answered as it was.' }
      },
      'DELETE /requests': { does: 'Empties the journal.' },
      'POST /explain': {
        does: 'What a call would be answered, why, and what it would change: judged on a copy of the sandbox, which is thrown away. `changes` gives the copy other records, settings or another time.',
        query: { format: '`json`, the default, or `text`.' },
        body: '{"method":"POST","path":"/refunds","body":{"transaction":"txn_1","amount":100}}'
      },
      'POST /verify': {
        does: "Judges counts of calls and of their effects, sequences, the state of records and unused script entries; without a body the scenario's own `expect`. 200 when it holds, otherwise 409 with what was seen.",
        body: '{"on":"POST /refunds","times":1,"within":"2s"}'
      },
      'GET /coverage': {
        does: 'Rules kept and broken: 93 possible outcomes.',
        query: { scope: RUN, format: '`json`, the default, `text` or `junit`.' }
      },
      'DELETE /coverage': { does: 'Starts the counts again from zero.', query: { scope: RUN } },
      'GET /findings': {
        does: 'Mistakes of the client, each with the calls that show it: [the findings](findings.md).',
        query: { scope: RUN, format: '`json`, the default, or `text`.' }
      },
      'GET /assumptions': { does: 'The assumptions, their settings, and how many and which answers relied on each.', query: { scope: RUN } },
      'GET /run': {
        does: 'All that a report holds, of every sandbox, load and reset so far: what `exec` and `judge` read.',
        query: { format: '`json`, the default, or the report as `html`, `junit` or `markdown`, without gates.' }
      },
      'GET /events': {
        does: 'The journal as server-sent events: `request` for each call when it is over, `clear` when the journal is emptied.',
        query: { scope: '`sandbox`, the default, or `run`: every sandbox.' }
      },
      'GET /metrics': { does: 'Metrics as Prometheus text: [the metrics](metrics.md).' }
    }
  },
  {
    title: 'Sign-in of the console',
    calls: {
      'GET /session': { does: 'Whether a token is required, and whether the cookie of the call is signed in. Needs no token.' },
      'POST /session': { does: 'Exchanges CONTROL_TOKEN for a cookie that lasts 12 hours.', body: '{"token":"TOKEN"}' },
      'DELETE /session': { does: 'Signs out.' }
    }
  },
  {
    title: 'Settings and descriptions',
    calls: {
      'GET /settings': { does: 'Each setting, its value, where that came from and what it may be: [the settings](settings.md).' },
      'PATCH /settings': { does: 'Changes settings of the sandbox until the next load or reset.', body: '{"pagination.max_limit":5}' },
      'DELETE /settings/NAME': { does: 'Sets a setting back to what flag, environment, scenario or default give.' },
      'GET /openapi.json': {
        does: 'The emulated API as OpenAPI 3.1.',
        query: { style: '`flat` names nested parameters in brackets, for generators that do not know `deepObject`.' }
      },
      'GET /docs': { does: 'A page to read and try the emulated API.' },
      'GET /schema/fixture.json': { does: 'The JSON Schema of fixtures, for editors.' },
      'GET /schema/scenario.json': { does: 'The JSON Schema of scenarios, for editors.' },
      'GET /schema/script.json': { does: 'The JSON Schema of files of shared script entries, for editors.' }
    }
  }
]
