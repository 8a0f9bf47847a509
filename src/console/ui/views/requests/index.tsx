/** Requests: those that came, live, and the reasons for each response. */
import { untracked, useSignalEffect } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import { act } from '../../app/command.js'
import { useShortcuts } from '../../app/keyboard.js'
import { useResource } from '../../app/resource.js'
import { go, hrefOf, route } from '../../app/route.js'
import { overview } from '../../app/store.js'
import { Button, ButtonLink } from '../../components/button.js'
import { CodeBlock } from '../../components/code.js'
import { ask } from '../../components/dialog.js'
import { type Column, Grid } from '../../components/grid.js'
import { Empty } from '../../components/states.js'
import { control } from '../../control/client.js'
import { apiOf, sandbox } from '../../control/place.js'
import { countOf } from '../count.js'
import { Detail } from './detail.js'
import { Filters } from './filters.js'
import { Badge, Method, Status } from './marks.js'
import { filtered, queryIn, termIn } from './query.js'
import { type CallList, keyOf, msShown, pathShown, periodOf, type Row } from './request-list.js'
import { dropped, isHeld, isPast, isRead, list, paused } from './requests.js'
import { defaultCurrency, shortPath, summaryOf } from './summary.js'
import { textOfRule } from './why.js'
import './requests.css'

/** With what came of it below, where rows are tall. */
const What = (row: Row, isTall: boolean) => {
  const { method, path, test } = row.call
  return (
    <>
      <span title={pathShown(row.call)}>
        <Method method={method} /> {shortPath(path)}{' '}
        <span class="faint">{summaryOf(row.call)}</span>
      </span>
      {isTall && (
        <div class="under faint">
          <Result {...row} /> {test}
        </div>
      )}
    </>
  )
}

/**
 * The code of the refusal and its rule, or the code of the script's error; script entries apart.
 */
const Result = ({ call: { refusal, script, answer, outcome } }: Row) => {
  const code = refusal?.code ?? (outcome === 'scripted' ? Object(answer).error?.code : undefined)
  const rule = refusal?.rule ?? refusal?.assumption
  return (
    <>
      {rule && <Badge text={rule} title={textOfRule(rule)} />}{' '}
      {code && <span class="result mono">{code}</span>}{' '}
      {script && (
        <Badge
          kind="scripted"
          icon="scripted"
          text={script.name ?? script.id}
          title="The script entry that was applied"
        />
      )}
    </>
  )
}

/** Its bar grows by the logarithm, up to ten seconds. */
const Duration = ({ call }: Row) => (
  <span class="duration">
    <span style={{ width: `${Math.min(4, Math.log10(1 + call.ms)) / 2}rem` }} />
    {`${msShown(call)} ms`}
  </span>
)

/** Where there is less room, in pixels, a row has two lines. */
const TALL_BELOW = 720

const Time = ({ call: { at } }: Row) => (
  <time class="faint" dateTime={at} title={at}>
    {at.slice(11, 23)}
  </time>
)

/** Shown where requests of every sandbox are. */
const SANDBOX = 'Sandbox'
const COLUMNS: readonly Column<Row>[] = [
  { title: 'Status', width: '4.2rem', by: ({ call }) => call.status, cell: Status },
  {
    title: 'Request',
    width: 'minmax(11rem, 2.25fr)',
    by: ({ call }) => `${call.path} ${call.method}`,
    cell: What
  },
  {
    title: SANDBOX,
    width: 'minmax(4rem, 0.6fr)',
    by: row => row.sandbox,
    cell: row => row.sandbox || 'base'
  },
  {
    title: 'Result',
    width: 'minmax(6.5rem, 1.6fr)',
    from: TALL_BELOW,
    by: ({ call }) => call.refusal?.code ?? call.script?.name ?? '',
    cell: Result
  },
  {
    title: 'Test',
    width: 'minmax(4rem, 0.5fr)',
    from: 760,
    by: ({ call }) => call.test ?? '',
    cell: ({ call: { test } }) => <span title={test ?? ''}>{test}</span>
  },
  { title: 'Duration', width: '5.2rem', from: 640, by: ({ call }) => call.ms, cell: Duration },
  {
    title: 'Id',
    width: '3.8rem',
    from: 400,
    cell: ({ call }) => <span class="faint">{call.id}</span>
  },
  { title: 'Time', width: '5.7rem', from: TALL_BELOW, by: ({ call }) => call.at, cell: Time }
]

/** The id alone, as long as it names a request of the journal. */
const pathOf = (row: Row) => (isPast(row) ? [row.call.id, `before-${row.period}`] : [row.call.id])
const targetOf = (row: Row) => ({
  path: pathOf(row),
  query: route.value.query,
  sandbox: row.sandbox
})

function keyChosen(shown: CallList): string | null {
  const [id, before] = route.value.path
  return id === undefined
    ? null
    : keyOf(
        sandbox.value,
        Number(before?.replace('before-', '') ?? periodOf(shown, sandbox.value)),
        id
      )
}

const choose = (row: Row) => go(targetOf(row), { replace: route.value.path.length > 0 })
const close = () => go({ path: [], query: route.value.query })

/** The requests that kept or broke a rule. */
async function keysOfRule(rule: string): Promise<ReadonlySet<string>> {
  const { data } =
    rule === ''
      ? { data: [] }
      : await control('GET /requests', {
          query: { limit: '1000', rule, scope: 'run' },
          sandbox: ''
        })
  return new Set(
    data.map(({ sandbox: name, id }) => keyOf(name ?? '', periodOf(list.value, name ?? ''), id))
  )
}

export function Page() {
  const { q = '' } = route.value.query
  const query = useMemo(() => queryIn(q), [q])
  const shown = paused.value ?? list.value
  const rule = termIn(query, 'rule')
  const ofRule = useResource(() => keysOfRule(rule), rule, { isEvidence: true }).data
  const keys = rule === '' ? undefined : ofRule
  const isAll = termIn(query, 'in') === 'all'
  const place = isAll ? undefined : sandbox.value
  const rows = useMemo(
    () => filtered(shown.rows, { text: q, sandbox: place, keys }),
    [shown, q, place, keys]
  )
  const chosen = keyChosen(list.value)
  const row = chosen === null ? undefined : list.value.rows.find(({ key }) => key === chosen)
  useResource(readCurrency, '', { once: true })
  useKeptChoice()
  useShortcuts([
    { key: 'p', about: 'Pause the list, or resume it', run: pause },
    { key: 'Escape', about: 'Close the request', run: close }
  ])
  return (
    <section class="page whole">
      <Filters count={countShown(rows)}>
        <Actions rows={rows} />
      </Filters>
      <div class="split">
        <Grid
          label="Requests"
          columns={COLUMNS.filter(({ title }) => isAll || title !== SANDBOX)}
          rows={rows}
          keyOf={({ key }) => key}
          hrefOf={row => hrefOf(targetOf(row))}
          linked="Request"
          chosen={chosen}
          onChoose={choose}
          classOf={row => (isPast(row) ? 'past' : '')}
          tallBelow={TALL_BELOW}
          empty={
            isRead.value ? (
              <Nothing
                isNarrowed={shown.rows.some(row => isAll || row.sandbox === sandbox.value)}
              />
            ) : (
              <div />
            )
          }
        />
        {chosen !== null && (
          <Detail key={chosen} id={route.value.path[0] as string} row={row} onClose={close} />
        )}
      </div>
    </section>
  )
}

async function readCurrency(): Promise<void> {
  const { settings } = await control('GET /settings')
  defaultCurrency.value = settings['transactions.default_currency']?.value
}

function countShown(rows: readonly Row[]): string {
  const later =
    paused.value === null
      ? 0
      : list.value.rows.findIndex(({ key }) => key === paused.value?.rows[0]?.key)
  const newer = paused.value === null ? '' : `, paused; ${later < 0 ? 'all are' : later} newer`
  const { calls = 0 } = overview.value ?? {}
  const counted = countOf(rows.length, 'request')
  const isCut = (route.value.query.q ?? '') === '' && dropped.value > 0 && calls > rows.length
  return `${isCut ? `The last ${counted} of ${calls.toLocaleString('en')}` : counted}${newer}`
}

/** The requests of the journal that the list shows, as the editor takes them; undefined for all. */
function shownIds(rows: readonly Row[]): string | undefined {
  if ((route.value.query.q ?? '') === '') return undefined
  const held = rows.filter(isHeld).map(({ call }) => call.id)
  return held.join() || 'none'
}

function Actions({ rows }: { rows: readonly Row[] }) {
  const isPaused = paused.value !== null
  const ids = shownIds(rows)
  const about = `${ids === undefined ? 'All requests' : 'The requests that are shown'}, as a scenario that sends them again`
  const asScenario = hrefOf({
    view: 'scenarios',
    path: ['editor'],
    query: { from: 'requests', ids }
  })
  return (
    <>
      <Button
        icon={isPaused ? 'play' : 'pause'}
        text={isPaused ? 'Resume' : 'Pause'}
        aria-pressed={isPaused}
        run={pause}
      />
      <ButtonLink class="" icon="save" text="Save as scenario" title={about} href={asScenario} />
      <Button
        icon="trash"
        text="Clear"
        title="Empties the journal of this sandbox; records, coverage and findings stay"
        run={clear}
      />
    </>
  )
}

/**
 * When a journal is cleared, the request that is shown stays, under the address of an earlier one.
 */
function useKeptChoice(): void {
  const before = useRef(list.peek())
  const keep = () => {
    const key = keyChosen(before.current)
    const shown = before.current.rows.find(row => row.key === key)
    before.current = list.value
    if (shown && isPast(shown)) go(targetOf(shown), { replace: true })
  }
  useSignalEffect(() => {
    void list.value
    untracked(keep)
  })
}

function Nothing({ isNarrowed }: { isNarrowed: boolean }) {
  const base = `${location.origin}${apiOf()}`
  const key = useResource(() => control('GET /keys'), '', { once: true }).data?.data[0]?.key
  if (isNarrowed)
    return (
      <Empty title="No request matches." icon="search">
        <a href={hrefOf({ path: [] })}>Show all requests</a>
      </Empty>
    )
  return (
    <Empty title="Waiting for the first request" icon="requests">
      <p class="faint">
        Point your client at <code>{base}</code>, or send one from a terminal. It is shown here as
        it arrives.
      </p>
      <CodeBlock
        text={`curl ${base}/tickets${key === undefined ? '' : ` -u ${key}:`}`}
        label="curl"
      />
      <p>
        <a href={hrefOf({ view: 'scenarios' })}>Load a scenario</a> or{' '}
        <a href={hrefOf({ view: 'data' })}>look at the records</a> first.
      </p>
    </Empty>
  )
}

const pause = () => (paused.value = paused.value === null ? list.value : null)

const clear = () =>
  ask({
    title: 'Empty the journal?',
    text: 'The requests of this sandbox are removed from the list and from the journal. Records, coverage and findings stay.',
    action: 'Empty the journal',
    run: () => act(empty(), 'Journal emptied')
  })

async function empty(): Promise<void> {
  await control('DELETE /requests')
  list.value = { ...list.value, rows: list.value.rows.filter(row => row.sandbox !== sandbox.value) }
  paused.value = null
  close()
}
