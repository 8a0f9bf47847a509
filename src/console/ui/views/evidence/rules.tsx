/** Coverage as a map of the rules of the reference: which were kept, broken or not touched, and the calls that did it. */
import { useResource } from '../../app/resource.js'
import { go, hrefOf, route } from '../../app/route.js'
import { Beside, CloseButton } from '../../components/beside.js'
import { Empty, Loaded } from '../../components/states.js'
import { api, type CoverageReport, type Scope } from '../../control/client.js'
import { byFamily, isIn, outcomesOf, outcomesSeen, RULE_STATES, type RuleRow, type RuleState } from './words.js'

const MARKS = { all: 'good', kept: 'warn', broken: 'bad', none: '' } as const
const SIGNS = { all: '●', kept: '◐', broken: '◑', none: '○' } as const
const SEEN = { all: 'every outcome seen', kept: 'only kept', broken: 'only broken', none: 'untouched' } as const

export function Rules({ scope }: { scope: Scope }) {
  const resource = useResource(() => api.coverage(scope), scope)
  return <Loaded resource={resource}>{report => <RuleMap report={report} />}</Loaded>
}

function RuleMap({ report }: { report: CoverageReport }) {
  const { query, path } = route.value
  const chosen = report.rules.find(({ rule }) => rule === path[1])
  const state = RULE_STATES.find(name => name === query.state)
  const shown = state === undefined ? report.rules : report.rules.filter(row => isIn(row, state))
  const counts = RULE_STATES.map(name => [name, report.rules.filter(row => isIn(row, name)).length] as const)
  const linkOf = (name: RuleState | undefined) => hrefOf({ path: ['rules'], query: { ...query, state: name } })
  return (
    <div class="split">
      <div class="rules">
        <p>
          <b>{report.percent} %</b> of the rule outcomes were seen: {report.seen} of {report.possible}. A rule that calls can both keep and break has two.
        </p>
        <meter min={0} max={report.possible} value={report.seen} aria-label="Rule outcomes that were seen">
          {report.percent} %
        </meter>
        <nav class="chips" aria-label="Rules that are shown">
          <a href={linkOf(undefined)} aria-current={state === undefined ? 'true' : undefined}>
            all {report.rules.length}
          </a>
          {counts.map(([name, count]) => (
            <a key={name} href={linkOf(name)} aria-current={state === name ? 'true' : undefined}>
              {name} {count}
            </a>
          ))}
        </nav>
        <p class="hint">
          {Object.entries(SIGNS).map(([seen, sign]) => (
            <span key={seen} class="legend">
              {sign} {SEEN[seen as keyof typeof SEEN]}
            </span>
          ))}
        </p>
        {shown.length === 0 && <Empty title={`No rule is ${state}.`} />}
        <div class="map">
          {byFamily(shown).map(([family, rows]) => (
            <section key={family} aria-label={`Rules ${family}`}>
              <h2>{family}</h2>
              <ul>
                {rows.map(row => (
                  <li key={row.rule}>
                    <a
                      class={`rule ${MARKS[outcomesSeen(row)]}`}
                      href={hrefOf({ path: ['rules', row.rule], query })}
                      title={row.text}
                      aria-current={row === chosen ? 'true' : undefined}
                      aria-label={`${row.rule}: ${SEEN[outcomesSeen(row)]}`}
                    >
                      <span aria-hidden="true">{SIGNS[outcomesSeen(row)]}</span> {row.rule}
                    </a>
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

function Rule({ row, onClose }: { row: RuleRow; onClose: () => void }) {
  const { rule, text, satisfied, violated } = row
  return (
    <Beside label={rule}>
      <CloseButton label={`Close ${rule}`} onClose={onClose} />
      <h2>{rule}</h2>
      <p>{text}</p>
      <p class="hint">{outcomesOf(row)}</p>
      {satisfied + violated > 0 && (
        <p>
          <a href={hrefOf({ view: 'calls', query: { rule } })}>Calls that it decided</a>
        </p>
      )}
    </Beside>
  )
}
