/** Why a call was answered as it was: the rules judged in order with the figures they saw, and the assumptions that the answer leaned on. */
import { isoOf } from '../core/instants.js'
import { isSecretName, MASK, withoutSecrets } from '../core/redaction.js'
import { ASSUMPTIONS, type AssumptionId } from '../reference/assumptions.js'
import { nameOf } from '../reference/operations.js'
import { RULES, type RuleId } from '../reference/rules.js'
import { type Entry, judgementsOf, type Kept, keptIn, paramsOf, textOf } from './journal.js'

/** An entry as a list shows it: with its answer, without the judging. */
export function summaryOf(entry: Entry) {
  const { id, at, operation, method, path, account, query, body, userAgent, status, answered, tookEffect, script, refusal, ms } = entry
  return {
    id,
    at: isoOf(at),
    on: operation === null ? null : nameOf(operation),
    method,
    path,
    params: paramsOf(entry),
    account,
    query: keptIn(query),
    body: keptIn(body),
    user_agent: userAgent,
    status,
    answer: shown(textOf(entry)),
    answered,
    took_effect: tookEffect,
    script,
    refusal,
    ms
  }
}

/** An entry whole: how it was judged too. */
export function explained(entry: Entry) {
  const { course, changedBy } = entry
  const judgements = judgementsOf(entry)
  return {
    ...summaryOf(entry),
    why: {
      judged: judgements.map(({ rule, held, facts }) => ({ rule, text: RULES[rule].text, held, ...(facts && { facts }) })),
      first_failed: judgements.find(({ held }) => !held)?.rule ?? null,
      assumptions: course.assumptions.map(assumption => ({ assumption, topic: ASSUMPTIONS[assumption].topic })),
      changed_by: changedBy
    }
  }
}

/** The same for people to read. */
export function explainedText(entry: Entry): string {
  const { id, at, method, path, query, body: form, status, answered, tookEffect, script, course, changedBy } = entry
  const judgements = judgementsOf(entry)
  const fate = [answered ? `answered ${status}` : `${status}, but the answer was lost`, tookEffect ? 'took effect' : 'changed nothing']
  const lines = [`${id}  ${method} ${path}  ${fate.join(', ')}  (${isoOf(at)})`]
  for (const [what, sent] of [
    ['query', query],
    ['body', form]
  ] as const) {
    const pairs = flat(keptIn(sent))
    if (pairs.length > 0) lines.push(`  ${what}: ${pairs.join(' ')}`)
  }
  if (script) lines.push(`  script: ${script.id}${script.name ? ` (${script.name})` : ''} acted${script.fault ? `: ${script.fault}` : ''}`)
  lines.push('', 'Judged, in order:')
  lines.push(...(judgements.length === 0 ? ['  nothing'] : judgements.map(judgementLine)))
  if (changedBy.length > 0) lines.push('', `What it was judged by was last changed by ${changedBy.join(', ')}.`)
  if (course.assumptions.length > 0) lines.push('', 'The answer leans on:', ...course.assumptions.map(assumptionLine))
  const body = shown(textOf(entry))
  lines.push('', 'Answer:', `  ${body === null ? '(no body)' : typeof body === 'string' ? body : JSON.stringify(body)}`)
  return `${lines.join('\n')}\n`
}

const judgementLine = ({ rule, held, facts }: { rule: RuleId; held: boolean; facts?: Readonly<Record<string, unknown>> }) => {
  const figures = facts
    ? `  [${Object.entries(facts)
        .map(([name, value]) => `${name} ${value}`)
        .join(', ')}]`
    : ''
  return `  ${held ? 'held ' : 'BROKE'}  ${rule.padEnd(7)} ${RULES[rule].text}${figures}`
}
const assumptionLine = (assumption: AssumptionId) => `  ${assumption}  ${ASSUMPTIONS[assumption].topic}`

/** Nested parameters as `name[part]=value`. */
function flat(kept: Kept, under = ''): string[] {
  return Object.entries(kept).flatMap(([name, value]) => {
    const path = under === '' ? name : `${under}[${name}]`
    if (typeof value === 'string') return [`${path}=${value}`]
    return Array.isArray(value) ? value.map(item => `${path}[]=${item}`) : flat(value as Kept, path)
  })
}

/** An answer as it may be shown: JSON as what it says, anything else as text; null where there is none. */
function shown(answer: string): unknown {
  const text = withoutSecrets(answer)
  try {
    return JSON.parse(text, (name, value) => (isSecretName(name) ? MASK : typeof value === 'string' ? withoutSecrets(value) : value))
  } catch {
    return text === '' ? null : text
  }
}
