/** docs/reference/rules.md: the rules of the reference. */
import { RULE_IDS, RULES, type Rule, type RuleId } from '../../src/reference/rules.js'
import { codesBy } from './errors.js'
import { anchor, errorLink, page, table } from './markdown.js'

const INTRODUCTION = `The ${RULE_IDS.length} rules that the service's reference states, each with the section (§) that states it. A refusal names the most specific rule as \`error.rule\`. \`GET /_control/coverage\` counts the requests that passed and violated each. [The API](api.md) lists the rules of each operation.

What the reference does not state is an [assumption](assumptions.md), never a rule. Only a rule with an error can be violated, except LOC-4 and ACC-5, which a refusal passes. No request can pass a rule in *italics*.`

function row(id: RuleId): readonly string[] {
  const { text, sections, passable }: Rule = RULES[id]
  return [
    `${anchor(id.toLowerCase())}${passable === false ? `*${id}*` : id}`,
    text,
    sections.join(', '),
    codesBy(id).map(errorLink).join(', ')
  ]
}

/** The page. */
export const rulesPage = (): string =>
  page(
    'Rules',
    INTRODUCTION,
    table(['id', 'rule', '§', 'a request that violates it gets'], RULE_IDS.map(row))
  )
