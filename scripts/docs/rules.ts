/** docs/reference/rules.md: the rules of the reference. */
import { nameOf, OPERATION_IDS, operationOf } from '../../src/reference/operations.js'
import { RULE_IDS, RULES, type Rule, type RuleId } from '../../src/reference/rules.js'
import { codesBy } from './errors.js'
import { alternatives, code, errorLink, idLink, page, table } from './markdown.js'

const INTRODUCTION = `The ${RULE_IDS.length} rules that the service's reference states, each with an id. A refusal carries the id of the rule that refused as \`error.rule\`, the most specific one. \`GET /_control/coverage\` counts the requests that kept each of them and those that broke it.

What the reference does not state is an [assumption](assumptions.md), never a rule.`

/** Where an operation is described. */
const operationLink = (name: string) =>
  `[${code(name)}](api.md#${name
    .toLowerCase()
    .replaceAll(/[^a-z_ ]/g, '')
    .replace(' ', '-')})`

function canViolate({ violable, keepable }: Rule): string {
  const answer = violable ? 'yes' : 'no'
  return keepable === false ? `${answer}; no request can show that it is kept` : answer
}

/** The operations that can keep or break a rule, by name where they are few. */
function operationsOf(id: RuleId): string {
  const operations = OPERATION_IDS.filter(operation =>
    operationOf(operation).rules.includes(id)
  ).map(nameOf)
  if (operations.length === OPERATION_IDS.length) return 'all'
  return operations.length > 10
    ? `${operations.length} of the ${OPERATION_IDS.length}`
    : operations.map(operationLink).join(', ') || 'none'
}

function ruleSection(id: RuleId): string {
  const { text, sections }: Rule = RULES[id]
  const refusals = codesBy(id)
  return [
    `### ${id}`,
    `${text.replace(/^./, first => first.toUpperCase())}.`,
    [
      `- Stated in ${sections.length > 1 ? 'sections' : 'section'} ${sections.join(' and ')} of the reference.`,
      ...(refusals.length > 0
        ? [`- A request that breaks it is refused with ${alternatives(refusals.map(errorLink))}.`]
        : []),
      `- Operations: ${operationsOf(id)}.`
    ].join('\n')
  ].join('\n\n')
}

/** The page. */
export const rulesPage = (): string =>
  page(
    'Rules',
    INTRODUCTION,
    table(
      ['id', 'rule', '§', 'can a request break it?'],
      RULE_IDS.map(id => [
        idLink(id).replace('rules.md', ''),
        RULES[id].text,
        RULES[id].sections.join(', '),
        canViolate(RULES[id])
      ])
    ),
    '## Each rule',
    ...RULE_IDS.map(ruleSection)
  )
