/** A call in the forms that can be pasted elsewhere. */

import { pairsOf } from '../../../../core/form-encoding.js'
import { MASK } from '../../../../core/mask.js'
import { yamlOf } from '../../components/yaml.js'
import type { JournalCall, State } from '../../control/client.js'
import { addressOf } from '../form.js'
import { sentIn } from './request-list.js'

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Whether something sent is masked, so that it cannot be sent again as it is. */
export const isMasked = ({ path, query, body }: Pick<JournalCall, 'path' | 'query' | 'body'>): boolean =>
  path.includes(MASK) || [...pairsOf(query), ...pairsOf(body)].some(([name, value]) => name.includes(MASK) || value.includes(MASK))

/** The path of a call with its query, encoded. */
export const encodedPath = ({ path, query }: Pick<JournalCall, 'path' | 'query'>): string => addressOf(path, pairsOf(query))

/** `base` is the address of the API, `key` the API key that the call is sent with. */
export function curlOf(call: JournalCall, { base, key }: { base: string; key: string | null }): string {
  const parts = [`curl ${call.method === 'GET' ? '' : `-X ${call.method} `}${quoted(`${base}${encodedPath(call)}`)}`]
  if (key !== null) parts.push(`-u ${quoted(`${key}:`)}`)
  for (const sent of sentIn(call.body)) parts.push(`--data-urlencode ${quoted(sent)}`)
  if (call.test !== null) parts.push(`-H ${quoted(`Test-Name: ${call.test}`)}`)
  return `${parts.join(' \\\n  ')}\n`
}

/** Nested as they were sent, without what is masked. */
const matched = (parameters: JournalCall['query']): Record<string, string> =>
  Object.fromEntries(pairsOf(parameters).filter(([name, value]) => !name.includes('[]') && !name.includes(MASK) && !value.includes(MASK)))

/** A script entry that answers the next such call the same; null where it met no operation. */
export function entryOf(call: JournalCall): object | null {
  const { on, params, query, body, status, answer } = call
  if (on === null) return null
  const parts = Object.entries({ params, query: matched(query), body: matched(body) })
  const match = Object.fromEntries(parts.filter(([, part]) => Object.keys(part).length > 0))
  return {
    on,
    ...(Object.keys(match).length > 0 && { match }),
    calls: 1,
    respond: { status, ...(answer !== null && { body: answer }) }
  }
}

export const entryYaml = (call: JournalCall): string | null => {
  const entry = entryOf(call)
  return entry === null ? null : yamlOf([entry])
}

type Records = Record<string, readonly Record<string, unknown>[]>

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** The records that a call named or was answered with, as they are now, with those that they need. */
export function fixtureOf(call: JournalCall, state: State): Records {
  const { api_keys, ...families } = state as unknown as Records & { api_keys: Records[string] }
  const byId = new Map(Object.values(families).flatMap(records => records.map(record => [record.id as string, record] as const)))
  const wanted = new Set<string>()
  const want = (value: unknown) => {
    for (const text of textsIn(value)) {
      const record = byId.get(text)
      if (record === undefined || wanted.has(text)) continue
      wanted.add(text)
      want(record)
    }
  }
  want([call.params, call.query, call.body, call.answer, call.account])
  const chosen = Object.entries(families).map(([family, records]) => [family, records.filter(({ id }) => wanted.has(id as string))] as const)
  const keys = api_keys.filter(({ account }) => wanted.has(account as string))
  return Object.fromEntries([['api_keys', keys] as const, ...chosen].filter(([, records]) => records.length > 0))
}

export const fixtureYaml = (call: JournalCall, state: State): string => yamlOf(fixtureOf(call, state))
