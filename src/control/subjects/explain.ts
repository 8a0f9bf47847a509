/** How the emulator would respond to a request, tried on a copy of the sandbox. */
import type { Static } from 'typebox'
import * as Type from 'typebox'
import { encodeForm, type FormValue } from '../../core/form-encoding.js'
import { BASE, pathOf } from '../../core/paths.js'
import { execute, type InnerRequest, requestOf } from '../../engine/play.js'
import { headersOf } from '../../engine/response.js'
import { close, masked } from '../../evidence/entry.js'
import { needsKey } from '../../reference/operations.js'
import { closed, nullable, optional, parameters, text, word } from '../../reference/parameters.js'
import { changesBy } from '../../replay/past.js'
import { bindingsOf } from '../../scenario/steps.js'
import { type Context, type Rows, row } from '../row.js'
import { format, list, map, RECORD_CHANGE, REQUEST, response, typed, WHY } from '../schemas.js'
import { REFUSALS } from '../sentences.js'
import { masked as withoutKeys } from '../writing.js'
import { explanationOf } from './journal.js'

type Form = Readonly<Record<string, FormValue>>
const TRIED = closed({
  method: word(['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS']),
  path: text(),
  query: optional(Type.Unsafe<Form>({ type: 'object' })),
  body: optional(Type.Unsafe<Form | string | null>({ type: ['object', 'string', 'null'] })),
  key: optional(nullable(text())),
  headers: optional(
    Type.Unsafe<Readonly<Record<string, string>>>({
      type: 'object',
      additionalProperties: { type: 'string' }
    })
  )
})
type Tried = Static<typeof TRIED>

export const EXPLAIN_ROWS: Rows = {
  'POST /explain': row({
    does: 'Returns how the emulator would respond to a request, and why. The emulator tries it on a copy of the sandbox, which it discards.',
    query: parameters(format(['json', 'text'])),
    body: {
      example: '{"method":"POST","path":"/refunds","body":{"transaction":"txn_1","amount":100}}',
      schema: () => TRIED
    },
    response: response('TriedCall', {
      ...REQUEST,
      headers: map(typed('string | string[]')),
      why: WHY,
      changes: closed({ records: list(RECORD_CHANGE) })
    }),
    run: ({ body, request: { arrival }, query }) => explain(body, arrival, query.format === 'text')
  })
}

async function explain(
  tried: Tried,
  { sandbox, base }: Context['request']['arrival'],
  isText: boolean
): Promise<object | string> {
  checkPath(tried.path)
  const copy = sandbox.copy()
  // so that its id is not the next request's
  copy.requests = -1
  copy.state.ids.skip()
  const before = copy.store.clone()
  const response = execute(copy, requestOf(requestIn(tried, copy)), { base })
  const headers = headersOf(response)
  const request = masked(close(response, true, 0), response.reading)

  const explanation = explanationOf(request, copy, sandbox)
  if (isText) return explanation.text()
  const { user_agent, ms, ...entry } = explanation.values()
  const records = withoutKeys(changesBy(request, [before, copy.store]), copy)
  return { ...entry, headers: withoutKeys(headers, copy), changes: { records } }
}

/** Errors: `parameter_invalid` for a path outside the API. */
function checkPath(path: string): void {
  // clients resolve the dots of a path
  if (!new URL(BASE + path, 'http://localhost').pathname.startsWith(`${BASE}/`))
    throw REFUSALS.pathOutside(path)
}

/** The default is the key of the first merchant. */
function requestIn(
  { method, path, query = {}, body = null, key, headers = {} }: Tried,
  { store }: Context['sandbox']
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
