/** A request to paste elsewhere. */
import { encodeForm, pairsOf } from '../../../../core/form-encoding.js'
import { MASK } from '../../../../core/mask.js'
import { yamlOf } from '../../components/yaml.js'
import type { JournalCall } from '../../control/client.js'
import { sentIn } from './request-list.js'

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

export const isMasked = ({ path, query, body }: JournalCall): boolean =>
  JSON.stringify([path, query, body]).includes(MASK)

/** `base` is the address of the API, `key` an API key. */
export function curlOf(
  call: JournalCall,
  { base, key }: { base: string; key: string | null }
): string {
  // curl takes brackets in an address for a range
  const address = `${base}${addressOf(call).replace(/[[\]]/g, encodeURIComponent)}`
  const parts = [`curl ${call.method === 'GET' ? '' : `-X ${call.method} `}${quoted(address)}`]
  if (key !== null) parts.push(`-u ${quoted(`${key}:`)}`)
  for (const sent of sentIn(call.body)) parts.push(`--data-urlencode ${quoted(sent)}`)
  if (call.test !== null) parts.push(`-H ${quoted(`Test-Name: ${call.test}`)}`)
  return `${parts.join(' \\\n  ')}\n`
}

function filledIn(parts: Readonly<Record<string, object>>): object | undefined {
  const filled = Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0)
  return filled.length === 0 ? undefined : Object.fromEntries(filled)
}

const matched = (parameters: JournalCall['query']) =>
  Object.fromEntries(
    pairsOf(parameters).filter(
      ([name, value]) => !name.includes('[]') && !`${name}=${value}`.includes(MASK)
    )
  )

/** A script entry that gives the next such request the same response. */
export function entryYaml(call: JournalCall): string {
  const { on, params, query, body, status } = call
  if (on === null)
    throw new Error('No operation matched this request, so no script entry can match it.')
  const match = filledIn({ params, query: matched(query), body: matched(body) })
  return yamlOf([{ on, match, calls: 1, respond: { status, body: call.answer ?? undefined } }])
}

export function addressOf({ path, query }: JournalCall): string {
  const form = encodeForm(query).replaceAll('%5B', '[').replaceAll('%5D', ']')
  return form === '' ? path : `${path}?${form}`
}

/** Lines of `name=value` as pairs; a line without `=` is a name without a value. */
export const pairsIn = (lines: string): [string, string][] =>
  lines.split('\n').flatMap((line): [string, string][] => {
    if (line.trim() === '') return []
    const at = line.indexOf('=')
    return [at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1)]]
  })
