/** Coverage as a map of the rules of the reference: which were kept, broken or not touched, and the requests that did it. */
import { go, hrefOf, route } from '../../app/route.js'
import { Beside, Meter } from '../../components/layout.js'
import { Choices } from '../../components/links.js'
import { Empty, Read } from '../../components/states.js'
import { api, type CoverageReport, type Scope } from '../../control/client.js'
import { byFamily, isIn, outcomesOf, outcomesSeen, RULE_STATES, type RuleRow, type RuleState } from './words.js'

const SEEN = {
  all: { mark: 'good', sign: '●', words: 'every outcome seen' },
  kept: { mark: 'warn', sign: '◐', words: 'only kept' },
  broken: { mark: 'bad', sign: '◑', words: 'only broken' },
  none: { mark: '', sign: '○', words: 'untouched' }
} as const

export const Rules = ({ scope }: { scope: Scope }) => (
  <Read from={() => api.coverage(scope)} by={scope} isEvidence>
    {report => <RuleMap report={report} />}
  </Read>
)

function RuleMap({ report }: { report: CoverageReport }) {
  const { query, path } = route.value
  const chosen = report.rules.find(({ rule }) => rule === path[1])
  const state = RULE_STATES.find(name => name === query.state)
  const shown = rulesIn(report, state)
  const choices = [undefined, ...RULE_STATES].map(name => {
    const text = `${name ?? 'all'} ${rulesIn(report, name).length}`
    return [name ?? 'all', text, { path: ['rules'], query: { ...query, state: name } }] as const
  })
  return (
    <div class="split">
      <div class="stack">
        <p>
          <b>{report.percent} %</b> of the rule outcomes were seen: {report.seen} of {report.possible}. A rule that requests can both keep and break has two.
        </p>
        <Meter max={report.possible} value={report.seen} label="Rule outcomes that were seen" />
        <Choices label="Rules that are shown" choices={choices} chosen={state ?? 'all'} />
        <p class="row">
          {Object.values(SEEN).map(({ mark, sign, words }) => (
            <span key={sign} class={`badge ${mark}`}>{`${sign} ${words}`}</span>
          ))}
        </p>
        {shown.length === 0 && <Empty title={`No rule is ${state}.`} />}
        <div class="map">
          {byFamily(shown).map(([family, rows]) => (
            <section key={family} aria-label={`Rules ${family}`}>
              <h2>{family}</h2>
              <ul class="rules">
                {rows.map(row => (
                  <li key={row.rule}>
                    <RuleLink row={row} isChosen={row === chosen} />
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </div>
      </div>
      {chosen && <Rule row={chosen} onClose={() => go({ path: ['rules'], query })} />}
    </div>
  )
}

const rulesIn = ({ rules }: CoverageReport, state: RuleState | undefined) => (state === undefined ? rules : rules.filter(row => isIn(row, state)))

function RuleLink({ row, isChosen }: { row: RuleRow; isChosen: boolean }) {
  const { rule, text } = row
  const { mark, sign, words } = SEEN[outcomesSeen(row)]
  const href = hrefOf({ path: ['rules', rule], query: route.value.query })
  return (
    <a class={`rule ${mark}`} href={href} title={text} aria-current={isChosen ? 'true' : undefined} aria-label={`${rule}: ${words}`}>
      <span aria-hidden="true">{sign}</span> {rule}
    </a>
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
          <a href={hrefOf({ view: 'requests', query: { q: `rule:${rule}` } })}>Requests that it decided</a>
        </p>
      )}
    </Beside>
  )
}
