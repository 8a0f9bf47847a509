/** How answers are written: resources through closed schemas that let nothing unknown out, errors in the one shape (A04, A07, A09). */
import fastJson from 'fast-json-stringify'
import type { TSchema } from 'typebox'
import { type ApiError, CATALOGUE } from '../core/errors.js'
import { expected, withoutSecrets } from '../core/redaction.js'
import type { OperationId } from '../reference/operations.js'
import { type List, type Schema, schemaOf } from '../reference/parameters.js'
import { TABLES, type Tables } from '../reference/tables.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { keyIn } from './authentication.js'

type Write = (value: never) => string

/** Writes a resource by its closed schema, then the fields that a fixture gave under `extra`; a list member by member. */
export function writerOf(schema: Schema): Write {
  const { object, data, ...properties } = schema.properties as Record<string, Schema>
  if (object?.enum?.[0] === 'list') return listWriter(writerOf(data?.items as Schema))

  const lists = Object.entries(properties).filter(([, part]) => part.properties?.object?.enum?.[0] === 'list')
  const closed = fastJson({
    ...schema,
    properties: Object.fromEntries(Object.entries(schema.properties as object).filter(([name]) => lists.every(([list]) => list !== name))),
    required: schema.required?.filter(name => lists.every(([list]) => list !== name))
  } as object)
  const writers = lists.map(([name, list]) => ({ name, write: writerOf(list) }))
  return (record: Record<string, unknown>) => {
    let text = closed(record).slice(0, -1)
    for (const { name, write } of writers) text += `,${JSON.stringify(name)}:${write(record[name] as never)}`
    const extra = record.extra === undefined ? '{}' : JSON.stringify(record.extra)
    return extra === '{}' ? `${text}}` : `${text},${extra.slice(1)}`
  }
}

function listWriter(write: Write): Write {
  return ({ url, data, has_more, first_id, last_id }: List<unknown>) => {
    const members = data.map(record => write(record as never)).join(',')
    const ends = `"first_id":${JSON.stringify(first_id)},"last_id":${JSON.stringify(last_id)}`
    return `{"object":"list","url":${JSON.stringify(url)},"data":[${members}],"has_more":${has_more},${ends}}`
  }
}

const WRITERS = new Map<OperationId, Write>()

/** Writes the answer of an operation that has one, as the operation itself does. */
export function answerWriter(operation: OperationId): Write {
  let write = WRITERS.get(operation)
  if (!write) {
    write = writerOf(schemaOf((TABLES[operation] as Tables).answer as TSchema))
    WRITERS.set(operation, write)
  }
  return write
}

/** A caller's key that is not known is masked from this length on: a shorter one is a word like any other. */
const SHORTEST_KEY = 8

/** Text as it may be shown in an error, a header or a log: without card numbers, the world's API keys and the caller's own (A25). */
export function presentable(text: string, sandbox: Sandbox, authorization?: string | undefined): string {
  return withoutSecrets(text, keysToMask(sandbox, authorization))
}

/** The API keys that are masked in what is shown: the world's, and the caller's own. */
export function keysToMask({ isLoaded, store }: Sandbox, authorization: string | undefined): readonly string[] {
  const known = isLoaded ? keysOf(store.keys) : []
  const own = keyIn(authorization) ?? ''
  return own.length < SHORTEST_KEY || known.includes(own) ? known : [...known, own]
}

/** The keys of each world as a list, made anew when there are more. */
const LISTS = new WeakMap<ReadonlyMap<string, string>, readonly string[]>()

function keysOf(keys: ReadonlyMap<string, string>): readonly string[] {
  let list = LISTS.get(keys)
  if (list?.length !== keys.size) {
    list = expected([...keys.keys()])
    LISTS.set(keys, list)
  }
  return list as readonly string[]
}

/** A path decoded, so that masking sees what stands in it, and without control characters. */
export const readable = (path: string): string => (IS_PLAIN.test(path) ? path : path.replace(/(?:%[\da-f]{2})+/gi, decodedRun).replace(/\p{Cc}/gu, '?'))

const IS_PLAIN = /^[\w/.-]*$/

function decodedRun(run: string): string {
  try {
    return decodeURIComponent(run)
  } catch {
    return '?'
  }
}

type ErrorContext = { sandbox: Sandbox; authorization?: string | undefined; requestId: string; exposeRule: boolean }

/** The body of an error answer. Card numbers and API keys in what the caller sent are masked. */
export function errorBody(error: ApiError, { sandbox, authorization, requestId, exposeRule }: ErrorContext) {
  const show = (text: string) => presentable(text, sandbox, authorization)
  return {
    error: {
      type: CATALOGUE[error.code].type,
      code: error.code,
      message: show(error.message),
      ...(error.param !== undefined && { param: show(error.param) }),
      ...(exposeRule && error.rule && { rule: error.rule }),
      ...(exposeRule && !error.rule && error.assumption && { assumption: error.assumption }),
      ...(error.problems && { problems: error.problems.map(problem => ({ ...problem, path: show(problem.path), message: show(problem.message) })) }),
      request_id: requestId
    }
  }
}
