/** Why a request got its response: rules with the figures that they saw, and assumptions. */
import { FormList, type FormNode, type FormObject, inBrackets } from '../core/form.js'
import { isoOf } from '../core/instants.js'
import { maskedThroughout, withoutSecrets } from '../core/redaction.js'
import type { Facts } from '../core/rules.js'
import type { SecretWords } from '../core/secret-words.js'
import { type OutcomeName, scriptAction, tookEffect } from '../engine/outcome.js'
import { ASSUMPTION_IDS, ASSUMPTIONS, type AssumptionId } from '../reference/assumptions.js'
import { nameOf } from '../reference/operations.js'
import { RULE_IDS, RULES, type RuleId } from '../reference/rules.js'
import { missText, type NearMiss } from '../scenario/match/near-misses.js'
import { type Entry, type Judgement, textOf } from './entry.js'
import { FACTS, judgementOf } from './judgement.js'

type Changed = { changersOf: (call: Entry) => string[] }
type Verdict = { rule: RuleId; verdict: 'kept' | 'broken'; text: string; facts?: Facts }
export type Parameters = { [name: string]: string | readonly string[] | Parameters }

/** An entry of the journal; `keys` are masked in its response. */
export function summaryOf(call: Entry, keys: SecretWords) {
  const { id, at, operation, method, path, params, caller, query, body, outcome, ms } = call
  const { account, userAgent, test, trace } = caller
  const { refusal } = outcome
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
    answer: answerShown(call, keys),
    answered: outcome.isDelivered,
    took_effect: tookEffect(call),
    script: scriptAction(call),
    refusal: refusal && {
      code: refusal.code,
      rule: refusal.rule,
      assumption: refusal.assumption,
      param: refusal.param
    },
    ms
  }
}

function verdictsOf(call: Entry, judgement: Judgement): Verdict[] {
  const kept = judgement.kept.map((place): Verdict => {
    const rule = RULE_IDS[place] as RuleId
    const facts = FACTS[rule]?.(call)
    return { rule, verdict: 'kept', text: RULES[rule].text, ...(facts && { facts }) }
  })
  const { broken: rule } = judgement
  if (rule === null) return kept
  const facts = call.outcome.refusal?.facts
  return [...kept, { rule, verdict: 'broken', text: RULES[rule].text, ...(facts && { facts }) }]
}

export function explained(call: Entry, evidence: Changed, keys: SecretWords) {
  const judgement = judgementOf(call)
  return {
    ...summaryOf(call, keys),
    why: {
      rules: verdictsOf(call, judgement),
      assumptions: judgement.relied.map(place => {
        const assumption = ASSUMPTION_IDS[place] as AssumptionId
        return { assumption, topic: ASSUMPTIONS[assumption].topic }
      }),
      changed_by: evidence.changersOf(call)
    }
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
  const { answer, why } = explained(call, evidence, keys)
  const lines = headLines(call, keys)
  if (why.rules.length > 0)
    lines.push('', 'Rules, in the order in which they were checked:', ...why.rules.map(verdictLine))
  else lines.push('', 'No operation matched.')
  if (why.changed_by.length > 0)
    lines.push('', `The records in question were last changed by ${why.changed_by.join(', ')}.`)
  if (why.assumptions.length > 0)
    lines.push(
      '',
      'The response relies on:',
      ...why.assumptions.map(({ assumption, topic }) => `  ${assumption}  ${topic}`)
    )
  if (near.length > 0)
    lines.push(
      '',
      'It nearly matched:',
      ...near.map(({ in: what, misses }) => `  ${what}: ${misses.map(missText).join(', ')}`)
    )
  lines.push('', 'Response:', `  ${answerLine(answer)}`)
  return `${lines.join('\n')}\n`
}

function headLines(call: Entry, keys: SecretWords): string[] {
  const { at, id, method, path, query, body, script, status, outcome } = summaryOf(call, keys)
  const effect = tookEffect(call) ? 'took effect' : 'changed nothing'
  const broken = call.outcome.fault === 'malformed_body' ? ', its body corrupted on the way' : ''
  const lines = [
    `${id}  ${method} ${path}  ${OUTCOMES[outcome]}, ${status}, ${effect}${broken}  (${at})`
  ]
  for (const [what, sent] of Object.entries({ query, body })) {
    const pairs = flat(sent)
    if (pairs.length > 0) lines.push(`  ${what}: ${pairs.join(' ')}`)
  }
  if (script) {
    const { fault, applied = true, problem } = script
    const said = [
      `${script.id}${script.name ? ` (${script.name})` : ''}${fault ? `: ${fault}` : ''}`,
      ...(applied ? [] : ['not applied']),
      ...(problem === undefined ? [] : [`it could not change the records: ${problem}`])
    ]
    lines.push(`  script: ${said.join('; ')}`)
  }
  return lines
}

const answerLine = (answer: unknown): string => {
  if (answer === null) return '(no body)'
  return typeof answer === 'string' ? answer : JSON.stringify(answer)
}

function verdictLine({ rule, verdict, text, facts }: Verdict): string {
  const figures = Object.entries(facts ?? {}).map(([name, value]) => `${name} ${value}`)
  const shown = figures.length === 0 ? '' : `  [${figures.join(', ')}]`
  return `  ${verdict === 'kept' ? 'kept  ' : 'BROKEN'}  ${rule.padEnd(7)} ${text}${shown}`
}

export function parametersIn(form: FormObject): Parameters {
  const values: Parameters = Object.create(null)
  for (const [name, node] of [...form]) values[name] = plainNode(node)
  return values
}

function plainNode(node: FormNode): Parameters[string] {
  if (typeof node === 'string') return node
  return node instanceof FormList ? node.items : parametersIn(node)
}

function flat(parameters: Parameters, under = ''): string[] {
  return Object.entries(parameters).flatMap(([name, value]) => {
    const path = inBrackets(under, name)
    if (typeof value === 'string') return [`${path}=${value}`]
    return Array.isArray(value)
      ? value.map(item => `${path}[]=${item}`)
      : flat(value as Parameters, path)
  })
}

/** A response as it may be shown: JSON as values, anything else as text; null if there is none. */
function answerShown(call: Entry, keys: SecretWords): unknown {
  const text = textOf(call)
  if (text === '') return null
  try {
    return maskedThroughout(JSON.parse(text), keys)
  } catch {
    return withoutSecrets(text, keys)
  }
}
