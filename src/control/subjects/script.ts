import { explainedEntries } from '../../evidence/near-misses.js'
import { OPERATION_NAMES } from '../../reference/operations.js'
import { closed, optional, parameters, text, word } from '../../reference/parameters.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { reportTo, withoutProblems } from '../../scenario/documents.js'
import { MAX_PATTERNS, patternsIn } from '../../scenario/match/patterns.js'
import { checkWaiting, compileEntry, type Entry } from '../../scenario/script/entry.js'
import { gateOf } from '../../scenario/script.js'
import { RELEASES, SCRIPT_ENTRY } from '../../scenario/shape/entry.js'
import { CHANGES, type Rows, row } from '../row.js'
import {
  count,
  flag,
  isYes,
  list,
  listing,
  nearMisses,
  response,
  strings,
  typed,
  yes
} from '../schemas.js'
import { REFUSALS } from '../sentences.js'
import { masked, maskedList, scopeOf } from '../writing.js'

const counts = {
  matched: count(),
  applied: count(),
  first: optional(count("When it was first applied, by the sandbox's clock, in milliseconds."))
}
export const ENTRY = response('ListedEntry', {
  id: text(),
  entry: typed('ScriptEntry'),
  ...counts,
  uncounted: optional(count()),
  values: optional(list(closed({ value: text(), ...counts }))),
  near_misses: nearMisses
})

const gatesOf = ({ script }: Sandbox): string[] => [
  ...new Set(
    script.listed().flatMap(({ id, entry }) => (entry.hold ? [gateOf(id, entry.hold)] : []))
  )
]

export const SCRIPT_ROWS: Rows = {
  'GET /script': {
    does: 'Lists the script entries, each with the number of requests that it matched and was applied to. An entry that was never applied has its [near misses](../evidence.md#near-misses).',
    response: listing(ENTRY),
    run: async ({ sandbox }) => ({
      data: maskedList(await explainedEntries(sandbox.script, scopeOf(sandbox)), sandbox)
    })
  },
  'POST /script': row({
    does: 'Adds a script entry.',
    query: parameters({ first: yes('puts it before the other entries.') }),
    body: {
      example: '{"on":"POST /transactions","calls":1,"respond":{"status":402}}',
      schema: () => SCRIPT_ENTRY
    },
    ...CHANGES,
    adds: true,
    status: 201,
    response: ENTRY,
    run: async ({ sandbox, settings, query, body, document }) => {
      const entry = await withoutProblems(problems => {
        const report = reportTo(problems, document)
        const others = sandbox.script.listed().map(({ entry }) => entry)
        checkWaiting(body, [...others, body], report)
        return compileEntry(body, report)
      })
      const listed = sandbox.script.listed()
      if (listed.length >= settings['limits.entries']) throw REFUSALS.scriptFull(listed.length)
      const patterns = patternsIn([...listed.map(({ entry }) => entry.match), body.match])
      if (patterns > MAX_PATTERNS) throw REFUSALS.patternsFull(MAX_PATTERNS, patterns)
      return masked(sandbox.addEntry(entry as Entry, isYes(query.first)), sandbox)
    }
  }),
  'DELETE /script': {
    does: 'Removes every script entry.',
    ...CHANGES,
    run: ({ sandbox }) => {
      sandbox.removeEntries()
      sandbox.gates.keep([])
    }
  },
  'DELETE /script/ID': {
    does: 'Removes a script entry.',
    isSaved: true,
    run: ({ sandbox, name: id }) => {
      const known = sandbox.script.listed().map(entry => entry.id)
      if (!sandbox.removeEntries(id)) throw REFUSALS.entryUnknown(id, known)
      // requests at gates without entry go on
      sandbox.gates.keep(gatesOf(sandbox))
    }
  },
  'GET /gates': {
    does: 'Lists the gates at which script entries hold requests, with the waiting requests.',
    response: listing(
      response('Gate', {
        name: text(),
        open: flag(),
        waiting: list(closed({ id: text(), on: word(OPERATION_NAMES) }))
      })
    ),
    run: ({ sandbox }) => ({ data: sandbox.gates.listed(gatesOf(sandbox)) })
  },
  'POST /gates/NAME/open': row({
    does: 'Opens a gate: the waiting requests continue, in order of arrival or in reverse. Without a body: in order.',
    body: {
      example: '{"release":"reverse"}',
      schema: () => closed({ release: optional(word(RELEASES)) }),
      isOptional: true
    },
    makesSandbox: true,
    response: response('OpenedGate', { name: text(), released: strings }),
    run: ({ sandbox, name, body: { release = 'in_order' } }) => {
      const known = gatesOf(sandbox)
      if (!known.includes(name)) throw REFUSALS.gateUnknown(name, known)
      return { name, released: sandbox.gates.open(name, release) }
    }
  })
}
