/** Coverage: which rules of the reference were passed, violated or not exercised, and by how many. */
import { choiceIn, hrefOf, narrowed, route } from '../../app/route.js'
import { Meter, WideTable } from '../../components/layout.js'
import { Choices, linked } from '../../components/links.js'
import type { CoverageReport } from '../../control/client.js'
import { RULE_STATES, type RuleRow } from './words.js'

export function Rules({ data: report }: { data: CoverageReport }) {
  const state = choiceIn(RULE_STATES, route.value.query.state, 'all')
  const choices = Object.entries(RULE_STATES).map(([name, isIn]) => {
    const target = narrowed({ state: name === 'all' ? undefined : name })
    return [name, `${name} ${report.rules.filter(isIn).length}`, target] as const
  })
  return (
    <>
      <p>
        <b>{report.percent}%</b> of the rule outcomes were seen: {report.seen} of {report.possible}.
        A rule that requests can both pass and violate has two.
      </p>
      <Meter max={report.possible} value={report.seen} label="Rule outcomes that were seen" />
      <Choices label="Rules that are shown" choices={choices} chosen={state} />
      <WideTable
        label="Rules"
        heads={['Rule', 'Passed', 'Violated', 'What it says']}
        rows={report.rules.filter(RULE_STATES[state]).map(cellsOf)}
      />
    </>
  )
}

function cellsOf({ rule, text, satisfied, violated, keepable, violable }: RuleRow) {
  const isSeen = satisfied + violated > 0
  const counted = (kind: string, count: number, isPossible: boolean) => (
    <span key={kind} class={count > 0 ? kind : 'faint'} title={isPossible ? '' : 'Cannot happen'}>
      {isPossible ? count : '–'}
    </span>
  )
  return [
    linked(rule, isSeen ? hrefOf({ view: 'requests', query: { q: `rule:${rule}` } }) : undefined),
    counted('good', satisfied, keepable),
    counted('bad', violated, violable),
    <span key="text" class={isSeen ? '' : 'faint'}>
      {text}
    </span>
  ]
}
