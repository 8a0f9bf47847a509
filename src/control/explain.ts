/** How the emulator would respond: tried on a copy. */
import { isDeepStrictEqual } from 'node:util'
import type { Static } from 'typebox'
import * as Type from 'typebox'
import { encodeForm, type FormValue } from '../core/form-encoding.js'
import { instantOf } from '../core/instants.js'
import { BASE, pathOf } from '../core/paths.js'
import { maskedThroughout } from '../core/redaction.js'
import { keysToMask } from '../engine/keys.js'
import type { Scripted } from '../engine/outcome.js'
import { execute, type InnerRequest, requestOf } from '../engine/play.js'
import { headersOf } from '../engine/response.js'
import { close, masked } from '../evidence/entry.js'
import { nearlyMet, withNearlyMet } from '../evidence/near-misses.js'
import { explained, explainedText } from '../evidence/why.js'
import { needsKey } from '../reference/operations.js'
import { closed, nullable, optional, text, word } from '../reference/parameters.js'
import { changesBy } from '../replay/past.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { SourceDocument } from '../scenario/read/document.js'
import { numbersBelow } from '../scenario/read/numbers.js'
import { gateOf, type ListedEntry } from '../scenario/script.js'
import { bindingsOf } from '../scenario/steps.js'
import type { Arrival } from '../server/arrivals.js'
import type { Store } from '../store/store.js'
import { REFUSALS } from './sentences.js'

type Form = Readonly<Record<string, FormValue>>
const any = <T extends object>() => Type.Unsafe<T>({ type: 'object' })
/** A request to try; `changes` are in the words of a scenario. */
export const TRIED = closed({
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

export async function explain(
  asked: Tried,
  document: SourceDocument,
  { sandbox, base }: Arrival,
  isText: boolean
): Promise<object | string> {
  checkPath(asked.path)
  const copy = sandbox.copy()
  // so that it gets no id that the next request will get
  copy.requests = -1
  copy.state.ids.skip()
  await change(copy, asked.changes ?? {}, document)
  const before = { store: copy.store.clone(), script: copy.script.listed() }
  const response = execute(copy, requestOf(requestAsked(asked, copy.store)), { base })
  const headers = headersOf(response)
  const request = masked(close(response, true, 0), response.reading)

  const { evidence } = sandbox
  const keys = keysToMask(copy)
  const near = maskedThroughout(nearlyMet(request, copy), keys)
  if (isText) return explainedText(request, evidence, keys, near)
  const { user_agent, ms, script, why, ...entry } = explained(request, evidence, keys)
  const records = changesBy(request, [before.store, copy.store])
  return {
    ...entry,
    headers: maskedThroughout(headers, keys),
    script: script && { ...script, ...waitOf(request.script as Scripted) },
    why: withNearlyMet(why, near),
    changes: {
      records: maskedThroughout(records, keys),
      script: countsChanged(before.script, copy.script.listed())
    }
  }
}

async function change(
  copy: Sandbox,
  { data, settings, clock }: NonNullable<Tried['changes']>,
  document: SourceDocument
): Promise<void> {
  if (settings !== undefined)
    await copy.changeSettings(settings, numbersBelow(document, ['changes', 'settings']))
  if (clock !== undefined) copy.setClock({ at: instantOf(clock) as number })
  if (data !== undefined) await copy.addRecords(document, ['changes', 'data'])
}

/** Errors: `parameter_invalid` for a path out of the API. */
function checkPath(path: string): void {
  // a client shortens a path with dots before it sends it
  if (!new URL(BASE + path, 'http://localhost').pathname.startsWith(`${BASE}/`))
    throw REFUSALS.pathOutside(path)
}

/** Without a key, a request has the first merchant's where it needs one. */
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

const waitOf = ({ action: { id, delay, entry } }: Scripted) => ({
  delay,
  gate: entry.data.hold === undefined ? null : gateOf(id, entry.data.hold)
})

const countsChanged = (
  before: readonly ListedEntry[],
  after: readonly ListedEntry[]
): Omit<ListedEntry, 'entry'>[] =>
  after
    .filter((entry, place) => !isDeepStrictEqual(entry, before[place]))
    .map(({ entry, ...count }) => count)
