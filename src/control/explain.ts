/** Control: what a call would be answered, and why. It is judged on a copy of the sandbox, which is thrown away. */
import { isDeepStrictEqual } from 'node:util'
import type { FastifyPluginAsync } from 'fastify'
import { encodeForm, type FormValue } from '../core/form-encoding.js'
import { instantOf } from '../core/instants.js'
import { maskedThroughout } from '../core/redaction.js'
import { recordsChanged } from '../evidence/journal.js'
import { explained, explainedText } from '../evidence/why.js'
import type { TrialCall } from '../http/inner-client.js'
import { pathOf } from '../http/paths.js'
import { type Family, needsKey } from '../reference/operations.js'
import { optional, parameters, word } from '../reference/parameters.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { SourceDocument } from '../scenario/documents.js'
import { bindingsOf } from '../scenario/scenario.js'
import { type Action, gateOf, type ListedEntry } from '../scenario/script.js'
import { bytesOf } from '../store/bytes.js'
import type { Stored } from '../store/collection.js'
import { collectionOf, type RecordOf, type Store } from '../store/store.js'
import { bodyReader, queryOf } from './bodies.js'

/** What is to be different on the copy, in the words of a scenario. */
type Changes = { data?: object; settings?: object; clock?: string }
type Explain = {
  method: string
  path: string
  query?: Readonly<Record<string, FormValue>>
  body?: Readonly<Record<string, FormValue>> | string | null
  key?: string | null
  headers?: Readonly<Record<string, string>>
  changes?: Changes
}

const OBJECT = { type: 'object' }
const readExplain = bodyReader<Explain>(
  {
    type: 'object',
    additionalProperties: false,
    required: ['method', 'path'],
    properties: {
      method: { type: 'string', enum: ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS'] },
      path: { type: 'string' },
      query: OBJECT,
      body: { type: ['object', 'string', 'null'] },
      key: { type: ['string', 'null'] },
      headers: { type: 'object', additionalProperties: { type: 'string' } },
      changes: {
        type: 'object',
        additionalProperties: false,
        properties: { data: OBJECT, settings: OBJECT, clock: { type: 'string', format: 'instant' } }
      }
    }
  },
  '{"method":"POST","path":"/refunds","body":{"transaction":"txn_1","amount":100}}'
)
const QUERY = parameters({ format: optional(word(['json', 'text'])) })

export const explainRoutes: FastifyPluginAsync = async control => {
  control.post('/explain', async (request, reply) => {
    const { format } = queryOf<{ format?: string }>(request, QUERY)
    const { body, document } = await readExplain(request, reply)
    const { sandbox, base } = request.call
    const copy = sandbox.copy()
    await change(copy, body.changes ?? {}, document)
    const before = { store: copy.store.clone(), script: copy.script.listed() }
    const { call, headers } = await control.tryIn(copy, trialCall(body, copy.store, base))

    const { journal } = sandbox.evidence
    const keys = call.secretWords
    if (format === 'text') return reply.type('text/plain; charset=utf-8').send(explainedText(call, journal, keys))
    const { user_agent, ms, script, why, ...entry } = explained(call, journal, keys)
    return {
      ...entry,
      headers: maskedThroughout(headers, keys),
      script: script && { ...script, ...waitOf(call.action as Action) },
      why,
      changes: {
        records: maskedThroughout(
          recordsChanged(call).map(({ family, id }) => {
            const shown = (store: Store) => shownRecord(store, { family, id, base })
            return { family, id, before: shown(before.store), after: shown(copy.store) }
          }),
          keys
        ),
        script: countsChanged(before.script, copy.script.listed())
      }
    }
  })
}

/** Errors: `setting_invalid`, `document_invalid`. */
async function change(copy: Sandbox, { data, settings, clock }: Changes, document: SourceDocument): Promise<void> {
  if (settings !== undefined) await copy.changeSettings(settings)
  if (clock !== undefined) copy.setClock({ at: instantOf(clock) as number })
  if (data !== undefined) await copy.addRecords(document, ['changes', 'data'])
}

/** The call to try; without a key of its own, one that needs a key has that of the first merchant. */
function trialCall({ method, path, query = {}, body = null, key, headers = {} }: Explain, store: Store, base: string): TrialCall {
  const more = encodeForm(query)
  // HTTP carries the bytes of a header as characters
  const bytes = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), Buffer.from(value).toString('latin1')])
  return {
    base,
    method,
    path: more === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${more}`,
    key: key === undefined && needsKey(method, pathOf(path)) ? bindingsOf(store).key('') : (key ?? null),
    form: typeof body === 'string' ? body : body && encodeForm(body),
    headers: Object.fromEntries(bytes)
  }
}

/** How long an entry makes a call wait: for how many milliseconds, and at which gate. */
const waitOf = ({ id, delay, entry: { data } }: Action) => ({ delay, gate: data.hold === undefined ? null : gateOf(id, data.hold) })

/** A record as the API shows it; null where there is none. */
function shownRecord(store: Store, { family, id, base }: { family: Family; id: string; base: string }): object | null {
  const stored = collectionOf(store, family).stored(id) as Stored<RecordOf<Family>> | undefined
  return stored === undefined ? null : JSON.parse(bytesOf(family, stored, store, base).toString())
}

/** The entries that counted the call, with their counts. */
const countsChanged = (before: readonly ListedEntry[], after: readonly ListedEntry[]): Omit<ListedEntry, 'entry'>[] =>
  after.filter((entry, place) => !isDeepStrictEqual(entry, before[place])).map(({ entry, ...count }) => count)
