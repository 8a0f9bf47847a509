/** Makes the evidence of a call: what was sent, without its secrets, what was answered, and how it was judged (A25). */
import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiError } from '../core/errors.js'
import { FormList, type FormNode, FormObject } from '../core/form.js'
import { isSecretIn, isSecretName, MASK, OPEN_NAMES, withoutKeys, withoutSecrets } from '../core/redaction.js'
import type { Facts } from '../core/trace.js'
import type { Kinds } from '../evidence/evidence.js'
import type { Entry } from '../evidence/journal.js'
import { OPERATIONS } from '../reference/operations.js'
import { keysToMask, readable } from './answers.js'
import { pathBelow } from './entrance.js'
import { hasBody } from './reading.js'

const NOTHING = new FormObject()
const MASKED = JSON.stringify(MASK)
const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({})

/** A name that is no name: JSON, or a piece of it, sent as a form. */
const IN_JSON = /["{}]/

/** How the names that hold nothing secret stand in JSON; most names that clients send are among them. */
const LABELS: ReadonlyMap<string, string> = new Map([...OPEN_NAMES].map(name => [name, `${JSON.stringify(name)}:`]))

/** What became of an answer on its way. */
type Fate = { status: number; answer: string; answered: boolean }
/** What is held of a call until it is recorded, since it may be another then: what became of it, and the keys that the world knew. */
type Held = Fate & { ms: number; kinds: Kinds; keys: readonly string[] }

/**
 * Records an answered call, or one whose answer was lost; each call once. Steps of a scenario and calls of the control API are not recorded.
 * The evidence is made once the answers of this turn are on their way: many at a time take much less than one by one between other work.
 */
export function record(request: FastifyRequest, reply: FastifyReply, fate: Partial<Fate> = {}): void {
  const { sandbox, isStep } = request
  if (isStep || request.isRecorded || !request.id.startsWith('req_')) return
  request.isRecorded = true
  const { status = reply.statusCode, answer = request.answer, answered = true } = fate
  const ms = Math.round(reply.elapsedTime * 10) / 10
  const { 'evidence.journal': journal, 'evidence.coverage': coverage } = sandbox.settings
  const held: Held = { status, answer, answered, ms, kinds: { journal, coverage }, keys: journal || coverage ? keysIn(request) : [] }
  sandbox.evidence.later(() => recorded(request, held))
}

/** The keys that are masked in a call. The key that an Account acts by is one of the world's, and need not be read again. */
function keysIn({ sandbox, actor, headers }: FastifyRequest): readonly string[] {
  const isKnown = actor !== null && sandbox.settings['auth.accept_any_key'] === null
  return keysToMask(sandbox, isKnown ? undefined : headers.authorization)
}

function recorded(request: FastifyRequest, { status, answer, answered, ms, kinds, keys }: Held): void {
  const { sandbox, operation, trace, headers, scripted, refusal, subject } = request
  sandbox.evidence.measure({ operation, status, ms, isScripted: scripted !== null })
  if (!kinds.journal && !kinds.coverage) return sandbox.evidence.skip()

  const show = (text: string) => withoutSecrets(text, keys)
  const pattern = operation === null ? null : OPERATIONS[operation].path
  const params = (operation === null ? NO_PARAMS : request.params) as Record<string, string>
  const sentPath = pathBelow(request.url)
  const path = sentPath === pattern ? pattern : show(readable(sentPath))
  const text = withoutKeys(answer, keys)
  const { fault = null, name = null, respond, when = 'before' } = scripted?.entry.data ?? {}
  const instead = scripted !== null && (respond !== undefined || (fault !== null && when === 'before'))
  const tookEffect = operation !== null && request.method !== 'GET' && status < 300 && !instead
  const entry: Entry = {
    id: request.id,
    at: request.at,
    method: request.method,
    path,
    operation,
    params: path === sentPath && operation !== null ? null : mapped(params, show),
    account: request.actor?.id ?? null,
    query: kept(request.sent?.query ?? NOTHING, keys),
    body: kept(request.sent?.body ?? NOTHING, keys),
    userAgent: headers['user-agent'] === undefined ? null : show(readable(headers['user-agent'])),
    status,
    answer: keptAnswer(request, text),
    length: text.length,
    answered,
    tookEffect,
    script: scripted === null ? null : { id: scripted.id, name, fault },
    refusal: refusal === null ? null : refusalShown(refusal, show),
    ms,
    course: trace.course,
    facts: trace.facts,
    changedBy: sandbox.evidence.changesOf(judgedIn(params, trace.facts))
  }
  const clues = { signature: () => signatureOf(request, entry), cardNumberSent: isCardNumberSent(request), answer }
  const charged = operation === 'createRefund' ? subject?.transaction : undefined
  const changed = tookEffect ? [subject?.id, charged, params.user_id].filter(id => id !== undefined) : []
  sandbox.evidence.record(entry, clues, { changed, kinds })
}

const refusalShown = ({ code, rule, assumption, param }: ApiError, show: (text: string) => string): Entry['refusal'] => ({
  code,
  rule: rule ?? null,
  assumption: assumption ?? null,
  param: param === undefined ? null : show(param)
})

/** The ids that a call was judged by: those of its path, and those among the figures that rules saw. */
function judgedIn(params: Readonly<Record<string, string>>, seen: readonly Facts[]): readonly string[] {
  const ids = Object.values(params)
  for (const { transaction, account } of seen) {
    if (transaction !== undefined) ids.push(transaction)
    if (account !== undefined) ids.push(account)
  }
  return ids
}

const mapped = (params: Readonly<Record<string, string>>, show: (text: string) => string): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, show(value)]))

/** What is kept of an answer: of one that shows a record the record, of any other its text. */
function keptAnswer({ operation, refusal, scripted, subject, answer }: FastifyRequest, text: string): Entry['answer'] {
  const showsRecord = operation !== null && refusal === null && scripted === null && subject !== null && text === answer
  return showsRecord ? subject : text
}

/** What is kept of a form, as JSON text: values by name, secrets and card numbers masked wherever they stand. */
function kept(form: FormObject, keys: readonly string[]): string {
  if (form.parts.size === 0) return '{}'
  const asSent = jsonOf(form, text => text)
  // without an escape every value stands in it as it is, so that one look tells whether any of them holds a secret
  return asSent.includes('\\') || isSecretIn(asSent, keys) ? jsonOf(form, text => withoutSecrets(text, keys)) : asSent
}

/** The JSON text of a form: names and values as they are to be shown, values of secret names masked. */
function jsonOf(node: FormNode, show: (text: string) => string): string {
  if (typeof node === 'string') return quoted(show(node))
  if (node instanceof FormList) return JSON.stringify(node.items.map(show))
  let text = ''
  for (const [name, part] of node.parts) {
    const comma = text === '' ? '' : ','
    const label = LABELS.get(name)
    if (label !== undefined) text += comma + label + jsonOf(part, show)
    else if (IN_JSON.test(name)) text += `${comma}${MASKED}:${MASKED}`
    else text += `${comma}${quoted(show(name))}:${isSecretName(name) ? MASKED : jsonOf(part, show)}`
  }
  return `{${text}}`
}

/** JSON's text of a string; most need nothing escaped. */
const quoted = (text: string): string => (NEEDS_NO_ESCAPE.test(text) ? `"${text}"` : JSON.stringify(text))
const NEEDS_NO_ESCAPE = /^[\w .,:@+-]*$/

/** A digest that is the same for the same call by the same caller; of a body that was not read, no two are known to be the same. */
function signatureOf(request: FastifyRequest, { id, path }: Entry): string {
  const { method, headers, sent } = request
  const parameters = sent ? [flat(sent.query), flat(sent.body)] : [request.url.split('?')[1], hasBody(request) ? id : null]
  return hash('sha256', JSON.stringify([method, path, headers.authorization, ...parameters]), 'base64')
}

const flat = (node: FormNode): unknown => {
  if (typeof node === 'string') return node
  if (node instanceof FormList) return node.items
  return [...node.parts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, part]) => [name, flat(part)])
}

function isCardNumberSent({ sent }: FastifyRequest): boolean {
  const card = sent?.body.parts.get('card')
  const number = card instanceof FormObject ? card.parts.get('number') : undefined
  return typeof number === 'string' && number.replace(/\D/g, '').length >= 12
}
