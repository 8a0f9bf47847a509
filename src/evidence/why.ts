/** Why a request got its response: rules with the figures that they saw, and assumptions. */
import { type FormNode, FormObject, inBrackets } from '../core/form.js'
import { isoOf } from '../core/instants.js'
import { type SecretWords, withoutSecrets } from '../core/redaction.js'
import type { Facts } from '../core/rules.js'
import { type OutcomeName, type Refusal, scriptAction, tookEffect } from '../engine/outcome.js'
import { ASSUMPTIONS } from '../reference/assumptions.js'
import { nameOf } from '../reference/operations.js'
import { RULES, type RuleId } from '../reference/rules.js'
import { missText, type NearMiss } from '../scenario/match/near-misses.js'
import type { Json } from '../scenario/shape/parts.js'
import { type Entry, maskedBody, textOf } from './entry.js'
import { FACTS } from './judgement.js'

type Changed = { changersOf: (call: Entry) => string[] }
type Verdict = ReturnType<typeof verdictsOf>[number]

/** An entry of the journal; `keys` are masked in its response. */
export function summaryOf(call: Entry, keys: SecretWords) {
  const { id, at, operation, method, path, params, caller, query, body, outcome, ms } = call
  const { account, userAgent, test, trace } = caller
  const response = maskedBody(call, keys)
  const text = response === undefined ? textOf(call) : ''
  return {
    id,
    at: isoOf(at),
    on: operation === null ? null : nameOf(operation),
    method,
    path,
    params,
    account,
    query: parametersIn(query),
    body: parametersIn(body),
    user_agent: userAgent,
    test,
    trace,
    outcome: outcome.name,
    status: outcome.status,
    // JSON as values, anything else as text; null if there is none
    answer: response ?? (text === '' ? null : withoutSecrets(text, keys)),
    answered: outcome.isDelivered,
    took_effect: tookEffect(call),
    script: scriptAction(call),
    refusal: outcome.refusal && blameOf(outcome.refusal),
    ms
  }
}

const blameOf = ({ code, rule, assumption, param }: Refusal) => ({ code, rule, assumption, param })

function verdictsOf(call: Entry) {
  const { passed, violated } = call.judgement
  const verdictOf = (rule: RuleId, verdict: 'passed' | 'violated', facts?: Facts | null) => ({
    rule,
    verdict,
    text: RULES[rule].text,
    ...(facts && { facts })
  })
  const verdicts = passed.map(rule => verdictOf(rule, 'passed', FACTS[rule]?.(call)))
  if (violated !== null) verdicts.push(verdictOf(violated, 'violated', call.outcome.refusal?.facts))
  return verdicts
}

export function explained(call: Entry, evidence: Changed, keys: SecretWords) {
  const assumptions = call.judgement.relied.map(assumption => ({
    assumption,
    topic: ASSUMPTIONS[assumption].topic
  }))
  const changed_by = evidence.changersOf(call)
  return {
    ...summaryOf(call, keys),
    why: { rules: verdictsOf(call), assumptions, changed_by }
  }
}

const OUTCOMES: Readonly<Record<OutcomeName, string>> = {
  refused: 'refused',
  answered: 'answered',
  scripted: 'scripted response',
  lost_before: 'lost before the operation ran',
  lost_after: 'lost after the operation ran',
  not_written: 'ran, but could not be saved'
}

export function explainedText(
  call: Entry,
  evidence: Changed,
  keys: SecretWords,
  near: readonly NearMiss[] = []
): string {
  const summary = explained(call, evidence, keys)
  const { rules, changed_by, assumptions } = summary.why
  const { answer: body } = summary
  const response = typeof body === 'string' ? body : JSON.stringify(body)
  const part = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', title, ...lines.map(line => `  ${line}`)]
  const lines = [
    ...headLines(call, summary),
    ...(rules.length === 0 ? ['', 'No operation matched.'] : []),
    ...part('Rules, in the order in which they were checked:', rules.map(verdictLine)),
    ...(changed_by.length === 0
      ? []
      : ['', `The records in question were last changed by ${changed_by.join(', ')}.`]),
    ...part(
      'The response relies on:',
      assumptions.map(({ assumption, topic }) => `${assumption}  ${topic}`)
    ),
    ...part(
      'It nearly matched:',
      near.map(({ in: what, misses }) => `${what}: ${misses.map(missText).join(', ')}`)
    ),
    ...part('Response:', [body === null ? '(no body)' : response])
  ]
  return `${lines.join('\n')}\n`
}

function headLines(call: Entry, summary: ReturnType<typeof summaryOf>) {
  const { at, id, method, path, script, status, outcome, took_effect } = summary
  const effect = took_effect ? 'took effect' : 'changed nothing'
  const broken = call.outcome.fault === 'malformed_body' ? ', its body altered in transit' : ''
  const lines = [
    `${id}  ${method} ${path}  ${OUTCOMES[outcome]}, ${status}, ${effect}${broken}  (${at})`
  ]
  for (const what of ['query', 'body'] as const) {
    const pairs = pairsIn(call[what])
    if (pairs.length > 0) lines.push(`  ${what}: ${pairs.join(' ')}`)
  }
  if (script === null) return lines
  const { fault, applied, problem } = script
  const name = script.name ? ` (${script.name})` : ''
  const parts = [
    `${script.id}${name}${fault ? `: ${fault}` : ''}`,
    ...(applied === false ? ['not applied'] : []),
    ...(problem === undefined ? [] : [`it could not change the records: ${problem}`])
  ]
  return [...lines, `  script: ${parts.join('; ')}`]
}

function verdictLine({ rule, verdict, text, facts = {} }: Verdict) {
  const figures = Object.entries(facts).map(([name, value]) => `${name} ${value}`)
  const after = figures.length === 0 ? '' : `  [${figures.join(', ')}]`
  return `${verdict === 'passed' ? 'passed  ' : 'VIOLATED'}  ${rule.padEnd(7)} ${text}${after}`
}

export function parametersIn(
  form: FormObject,
  read: (text: string, names: readonly string[]) => Json = text => text,
  names: readonly string[] = []
): Record<string, Json> {
  const values: Record<string, Json> = Object.create(null)
  for (const [name, node] of form) {
    const place = [...names, name]
    if (node instanceof FormObject) values[name] = parametersIn(node, read, place)
    else if (Array.isArray(node)) values[name] = node.map(item => read(item, place))
    else values[name] = read(node, place)
  }
  return values
}

export function pairsIn(node: FormNode, name = ''): string[] {
  if (typeof node === 'string') return [`${name}=${node}`]
  if (Array.isArray(node)) return node.map(item => `${name}[]=${item}`)
  return [...node].flatMap(([part, below]) => pairsIn(below, inBrackets(name, part)))
}
