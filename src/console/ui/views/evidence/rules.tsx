/**
 * Coverage as a map of the rules of the reference: which were kept, broken or not touched, and the
 * requests that did it.
 */
import { choiceIn, go, hrefOf, route } from '../../app/route.js'
import { Beside, Meter } from '../../components/layout.js'
import { Choices } from '../../components/links.js'
import { Empty } from '../../components/states.js'
import type { CoverageReport } from '../../control/client.js'
import { outcomesOf, outcomesSeen, RULE_STATES, type RuleRow } from './words.js'

const SEEN = {
  all: { mark: 'good', sign: '●', words: 'every outcome seen' },
  kept: { mark: 'warn', sign: '◐', words: 'only kept' },
  broken: { mark: 'bad', sign: '◑', words: 'only broken' },
  none: { mark: '', sign: '○', words: 'untouched' }
} as const

export function Rules({ data: report }: { data: CoverageReport }) {
  const { query, path } = route.value
  const chosen = report.rules.find(({ rule }) => rule === path[1])
  const state = choiceIn(RULE_STATES, query.state, 'all')
  const shown = report.rules.filter(RULE_STATES[state])
  const choices = Object.entries(RULE_STATES).map(([name, isIn]) => {
    const target = {
      path: ['rules'],
      query: { ...query, state: name === 'all' ? undefined : name }
    }
    return [name, `${name} ${report.rules.filter(isIn).length}`, target] as const
  })
  return (
    <div class="split">
      <div class="stack">
        <p>
          <b>{report.percent} %</b> of the rule outcomes were seen: {report.seen} of{' '}
          {report.possible}. A rule that requests can both keep and break has two.
        </p>
        <Meter max={report.possible} value={report.seen} label="Rule outcomes that were seen" />
        <Choices label="Rules that are shown" choices={choices} chosen={state} />
        <p class="row">
          {Object.values(SEEN).map(({ mark, sign, words }) => (
            <span key={sign} class={`badge ${mark}`}>{`${sign} ${words}`}</span>
          ))}
        </p>
        {shown.length === 0 && <Empty title={`No rule is ${state}.`} />}
        <div class="map">
          {[...new Set(shown.map(familyOf))].map(family => (
            <section key={family} aria-label={`Rules ${family}`}>
              <h2>{family}</h2>
              <ul class="rules">
                {shown.map(
                  row =>
                    familyOf(row) === family && (
                      <RuleLink key={row.rule} row={row} isChosen={row === chosen} />
                    )
                )}
              </ul>
            </section>
          ))}
        </div>
      </div>
      {chosen && <Rule row={chosen} onClose={() => go({ path: ['rules'], query })} />}
    </div>
  )
}

/** The part of the reference that a rule belongs to. */
const familyOf = ({ rule }: RuleRow) => rule.replace(/-\d+$/, '')

function RuleLink({ row, isChosen }: { row: RuleRow; isChosen: boolean }) {
  const { rule, text } = row
  const { mark, sign, words } = SEEN[outcomesSeen(row)]
  const href = hrefOf({ path: ['rules', rule], query: route.value.query })
  return (
    <li>
      <a
        class={`rule ${mark}`}
        href={href}
        title={text}
        aria-current={isChosen ? 'true' : undefined}
        aria-label={`${rule}: ${words}`}
      >
        <span aria-hidden="true">{sign}</span> {rule}
      </a>
    </li>
  )
}

function Rule({ row, onClose }: { row: RuleRow; onClose: () => void }) {
  const { rule, text, satisfied, violated } = row
  return (
    <Beside label={rule} onClose={onClose}>
      <h2>{rule}</h2>
      <p>{text}</p>
      <p class="hint">{outcomesOf(row)}</p>
      {satisfied + violated > 0 && (
        <p>
          <a href={hrefOf({ view: 'requests', query: { q: `rule:${rule}` } })}>
            Requests that it decided
          </a>
        </p>
      )}
    </Beside>
  )
}
