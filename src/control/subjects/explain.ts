/** How the emulator would respond to a request, tried on a copy of the sandbox. */
import { isDeepStrictEqual } from 'node:util'
import type { Static } from 'typebox'
import * as Type from 'typebox'
import { encodeForm, type FormValue } from '../../core/form-encoding.js'
import { instantOf } from '../../core/instants.js'
import { BASE, pathOf } from '../../core/paths.js'
import type { Scripted } from '../../engine/outcome.js'
import { execute, type InnerRequest, requestOf } from '../../engine/play.js'
import { headersOf } from '../../engine/response.js'
import { close, masked } from '../../evidence/entry.js'
import { needsKey } from '../../reference/operations.js'
import { closed, nullable, optional, parameters, text, word } from '../../reference/parameters.js'
import { changesBy } from '../../replay/past.js'
import { addRecords } from '../../sandbox/records.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { changeSettings } from '../../sandbox/settings.js'
import { below, type SourceDocument } from '../../scenario/read/document.js'
import { gateOf } from '../../scenario/script.js'
import { bindingsOf } from '../../scenario/steps.js'
import type { Arrival } from '../../server/arrivals.js'
import type { Store } from '../../store/store.js'
import { type Rows, row } from '../route.js'
import { count, described, format, list, map, response, typed } from '../schemas.js'
import { REFUSALS } from '../sentences.js'
import { masked as withoutKeys } from '../writing.js'
import { explanationOf, RECORD_CHANGE, REQUEST, SCRIPTED, WHY } from './journal.js'
import { ENTRY_COUNTS, ENTRY_ID } from './script.js'

type Form = Readonly<Record<string, FormValue>>
const any = <T extends object>() => Type.Unsafe<T>({ type: 'object' })
/** A request to try; `changes` are as in a scenario. */
const TRIED = closed({
  method: word(['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS']),
  path: text(),
  query: optional(any<Form>()),
  body: optional(Type.Unsafe<Form | string | null>({ type: ['object', 'string', 'null'] })),
  key: optional(nullable(text())),
  headers: optional(
    Type.Unsafe<Readonly<Record<string, string>>>({
      type: 'object',
      additionalProperties: { type: 'string' }
    })
  ),
  changes: optional(
    closed({
      data: optional(any()),
      settings: optional(any()),
      clock: optional(text({ format: 'instant' }))
    })
  )
})
type Tried = Static<typeof TRIED>

export const EXPLAIN_ROWS: Rows = {
  'POST /explain': row({
    does: 'Returns how the emulator would respond to a request, why, and what the request would change. The emulator tries it on a copy of the sandbox, which it discards; `changes` gives the copy different records, settings or a different time.',
    query: parameters(format(['json', 'text'])),
    body: {
      example: '{"method":"POST","path":"/refunds","body":{"transaction":"txn_1","amount":100}}',
      schema: () => TRIED
    },
    response: response('TriedCall', {
      ...REQUEST,
      headers: map(
        typed('string | string[]'),
        'Headers of the response, by lower-case name, without those of the connection.'
      ),
      script: nullable(
        closed({
          ...SCRIPTED,
          delay: count('Milliseconds that the script would delay it.'),
          gate: nullable(described('The gate at which the script would hold it.'))
        })
      ),
      why: WHY,
      changes: closed({
        records: list(RECORD_CHANGE),
        script: list(
          closed({ ...ENTRY_ID, ...ENTRY_COUNTS }),
          'Script entries that would count it.'
        )
      })
    }),
    run: ({ body, document, request, query }) =>
      explain(body, document, request.arrival, query.format === 'text')
  })
}

async function explain(
  asked: Tried,
  document: SourceDocument,
  { sandbox, base }: Arrival,
  isText: boolean
): Promise<object | string> {
  checkPath(asked.path)
  const copy = sandbox.copy()
  // so that its id is not the next request's
  copy.requests = -1
  copy.state.ids.skip()
  await change(copy, asked.changes ?? {}, document)
  const before = { store: copy.store.clone(), script: copy.script.listed() }
  const response = execute(copy, requestOf(requestAsked(asked, copy.store)), { base })
  const headers = headersOf(response)
  const request = masked(close(response, true, 0), response.reading)

  const explanation = explanationOf(request, copy, sandbox)
  if (isText) return explanation.text()
  const { user_agent, ms, script, why, ...entry } = explanation.values()
  const records = changesBy(request, [before.store, copy.store])
  return {
    ...entry,
    headers: withoutKeys(headers, copy),
    script: script && { ...script, ...waitOf(request.script as Scripted) },
    why,
    changes: {
      records: withoutKeys(records, copy),
      script: copy.script
        .listed()
        .filter((entry, place) => !isDeepStrictEqual(entry, before.script[place]))
        .map(({ entry, ...counts }) => counts)
    }
  }
}

const waitOf = ({ action: { id, delay, entry } }: Scripted) => ({
  delay,
  gate: entry.data.hold === undefined ? null : gateOf(id, entry.data.hold)
})

async function change(
  copy: Sandbox,
  { data, settings, clock }: NonNullable<Tried['changes']>,
  document: SourceDocument
): Promise<void> {
  if (settings !== undefined)
    await changeSettings(copy, settings, below(document, ['changes', 'settings']))
  if (clock !== undefined) copy.setClock({ at: instantOf(clock) as number })
  if (data !== undefined) await addRecords(copy, document, ['changes', 'data'])
}

/** Errors: `parameter_invalid` for a path outside the API. */
function checkPath(path: string): void {
  // clients resolve the dots of a path
  if (!new URL(BASE + path, 'http://localhost').pathname.startsWith(`${BASE}/`))
    throw REFUSALS.pathOutside(path)
}

/** The default is the key of the first merchant. */
function requestAsked(
  { method, path, query = {}, body = null, key, headers = {} }: Tried,
  store: Store
): InnerRequest {
  const more = encodeForm(query)
  // HTTP carries bytes as characters
  const bytes = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    Buffer.from(value).toString('latin1')
  ])
  return {
    method,
    path: more === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${more}`,
    key:
      key === undefined && needsKey(method, pathOf(path))
        ? bindingsOf(store).key('')
        : (key ?? null),
    form: typeof body === 'string' ? body : body && encodeForm(body),
    headers: Object.fromEntries(bytes)
  }
}
