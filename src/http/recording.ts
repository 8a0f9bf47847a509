/** Makes the evidence of a call: what was sent, without its secrets, what was answered, and how it was judged (A25). */
import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isSecretName, MASK, withoutKeys, withoutSecrets } from '../core/redaction.js'
import type { Facts, Judgement } from '../core/trace.js'
import type { Entry, Kept } from '../evidence/journal.js'
import { keysToMask, readable } from './answers.js'
import { FormList, type FormNode, FormObject } from './form.js'
import { hasBody } from './reading.js'

const NOTHING = new FormObject()
const NOTHING_KEPT: Kept = Object.freeze(Object.create(null))
const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({})
/** Texts up to this length hold neither a card number nor a key. */
const HARMLESS = 5

/** A name that is no name: JSON, or a piece of it, sent as a form. */
const IN_JSON = /["{}]/

/** What became of an answer on its way. */
type Fate = { status: number; answer: string; answered: boolean }

/** Records an answered call, or one whose answer was lost; each call once. Steps of a scenario and calls of the control API are not recorded. */
export function record(request: FastifyRequest, reply: FastifyReply, fate: Partial<Fate> = {}): void {
  const { sandbox, isStep, trace } = request
  if (isStep || request.isRecorded || !request.id.startsWith('req_')) return
  request.isRecorded = true
  const { status = reply.statusCode, answer = request.answer, answered = true } = fate
  const operation = request.routeOptions?.config.operation ?? null
  const ms = Math.round(reply.elapsedTime * 10) / 10
  sandbox.evidence.measure({ operation, status, ms, isScripted: request.scripted !== null })
  const { 'evidence.journal': journal, 'evidence.coverage': coverage } = sandbox.settings
  if (!journal) sandbox.evidence.journal.skip()
  if (!journal && !coverage) return
  const { headers } = request
  // the key that an Account acts by is one of the world's, and need not be read again
  const isKnown = request.actor !== null && sandbox.settings['auth.accept_any_key'] === null
  const keys = keysToMask(sandbox, isKnown ? undefined : headers.authorization)
  const show = (text: string) => (text.length <= HARMLESS && !keys.includes(text) ? text : withoutSecrets(text, keys))
  const params = (operation === null ? NO_PARAMS : request.params) as Record<string, string>
  const query = kept(request.sent?.query ?? NOTHING, show)
  const body = kept(request.sent?.body ?? NOTHING, show)
  const { scripted, refusal, subject } = request
  const { fault = null, name = null, respond, when = 'before' } = scripted?.entry.data ?? {}
  const instead = scripted !== null && (respond !== undefined || (fault !== null && when === 'before'))
  const tookEffect = operation !== null && request.method !== 'GET' && status < 300 && !instead
  const entry: Entry = {
    id: request.id,
    at: request.at,
    method: request.method,
    path: show(readable((request.url.split('?')[0] as string).replace(/^\/next/, ''))) || '/',
    operation,
    params: shownParams(params, show),
    account: request.actor?.id ?? null,
    query,
    body,
    userAgent: headers['user-agent'] === undefined ? null : show(readable(headers['user-agent'])),
    status,
    answer: withoutKeys(answer, keys),
    answered,
    tookEffect,
    script: scripted === null ? null : { id: scripted.id, name, fault },
    refusal:
      refusal === null
        ? null
        : {
            code: refusal.code,
            rule: refusal.rule ?? null,
            assumption: refusal.assumption ?? null,
            param: refusal.param === undefined ? null : show(refusal.param)
          },
    ms,
    judgements: trace.judgements,
    assumptions: trace.assumptions,
    changedBy: sandbox.evidence.changesOf(judgedIn(params, trace.judgements))
  }
  const clues = { signature: () => signatureOf(request, entry), cardNumberSent: isCardNumberSent(request) }
  const charged = operation === 'createRefund' ? subject?.transaction : undefined
  const changed = tookEffect ? [subject?.id, charged, params.user_id].filter(id => id !== undefined) : []
  sandbox.evidence.record(entry, clues, { changed, kinds: { journal, coverage } })
}

/** The ids that a call was judged by: those of its path, and those among the figures that rules saw. */
function judgedIn(params: Readonly<Record<string, string>>, judgements: readonly Judgement[]): string[] {
  const ids = Object.values(params)
  let last: Facts | undefined
  for (const { facts } of judgements) {
    if (facts === undefined || facts === last) continue
    last = facts
    for (const name in facts) if (typeof facts[name] === 'string') ids.push(facts[name])
  }
  return ids
}

function shownParams(params: Readonly<Record<string, string>>, show: (text: string) => string): Readonly<Record<string, string>> {
  const shown: Record<string, string> = {}
  for (const name of Object.keys(params)) shown[name] = show(params[name] as string)
  return shown
}

/** What is kept of a form: values by name, secrets and card numbers masked wherever they stand. */
function kept(form: FormObject, show: (text: string) => string): Kept {
  if (form.parts.size === 0) return NOTHING_KEPT
  const result: Record<string, Kept[string]> = Object.create(null)
  for (const [name, node] of form.parts) {
    if (IN_JSON.test(name)) result[MASK] = MASK
    else result[show(name)] = isSecretName(name) ? MASK : keptNode(node, show)
  }
  return result
}

const keptNode = (node: FormNode, show: (text: string) => string): Kept[string] =>
  typeof node === 'string' ? show(node) : node instanceof FormList ? node.items.map(show) : kept(node, show)

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
