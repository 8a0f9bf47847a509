/** What is done most, one click away in every view. */
import { Button, Menu } from '../components/controls.js'
import { Icon, type IconName } from '../components/icon.js'
import { control, controlOf, type ListedEntry } from '../control/client.js'
import { instantInWords } from '../views/count.js'
import { shownIds } from '../views/requests/requests.js'
import { DECLINED } from '../views/scenario/presets.js'
import { act, reset } from './command.js'
import { useResource } from './resource.js'
import { route } from './route.js'
import { overview } from './store.js'

/** Script entries that are tried before all others. */
const ARMED = {
  decline: {
    name: 'decline the next payment',
    on: 'POST /transactions',
    respond: DECLINED
  },
  lose: {
    name: 'lose the next response',
    on: ['POST *', 'DELETE *'],
    fault: 'connection_reset',
    when: 'after'
  }
} as const
type Kind = keyof typeof ARMED
type Script = readonly ListedEntry[]

function waiting(script: Script, kind: Kind) {
  const remaining = ({ entry: { calls }, matched }: ListedEntry) =>
    Number(String(calls).split('-').at(-1)) - matched
  const entries = script.filter(
    listed => listed.entry.name === ARMED[kind].name && remaining(listed) > 0
  )
  return { entries, times: entries.reduce((sum, listed) => sum + remaining(listed), 0) }
}

const removeAll = (entries: Script) =>
  Promise.all(entries.map(({ id: name }) => control('DELETE /script/ID', { name })))

async function disarm(kind: Kind): Promise<string> {
  await removeAll(waiting((await control('GET /script')).data, kind).entries)
  return 'Disarmed'
}

function arm(kind: Kind, done: string) {
  const add = async () => {
    const { entries, times } = waiting((await control('GET /script')).data, kind)
    await removeAll(entries)
    const calls = times === 0 ? 1 : `1-${times + 1}`
    await control('POST /script', { query: { first: '1' }, body: { ...ARMED[kind], calls } })
  }
  return act(add(), done, () => disarm(kind))
}

function takeSnapshot() {
  const name = `at-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}`
  return act(control('PUT /snapshots/NAME', { name }), `Saved as the snapshot ${name}`)
}

function advance() {
  const before = overview.value?.clock
  const undo =
    before &&
    (() =>
      control('PUT /clock', { body: before }).then(({ now }) => `Undone: ${instantInWords(now)}`))
  return act(
    control('POST /clock/advance', { body: { by: '1h' } }),
    ({ now }) => `Now: ${instantInWords(now)}`,
    undo
  )
}

type Action = {
  icon: IconName
  text: string
  title: string
  run: () => unknown
  kind?: Kind
}
const ACTIONS: readonly Action[] = [
  {
    icon: 'ban',
    text: 'Decline next payment',
    title: 'The next payment is refused with card_declined',
    run: () => arm('decline', 'The next payment will be declined'),
    kind: 'decline'
  },
  {
    icon: 'lost',
    text: 'Lose next response',
    title: 'The next write takes effect, but its response is lost',
    run: () => arm('lose', 'The next write will take effect, but its response will be lost'),
    kind: 'lose'
  },
  {
    icon: 'clock',
    text: 'Advance 1 h',
    title: "Moves the sandbox's clock one hour forward",
    run: advance
  },
  { icon: 'camera', text: 'Snapshot', title: 'Saves the state under a name', run: takeSnapshot },
  {
    icon: 'reset',
    text: 'Reset',
    title: "Returns to the scenario's initial state; can be undone",
    run: reset
  }
]

export function QuickActions() {
  const script = useResource(() => control('GET /script'), '', { isEvidence: true }).data?.data
  const armed = (kind: Kind) => {
    const { times } = waiting(script ?? [], kind)
    return (
      times > 0 && (
        <Button
          class="small armed badge warn"
          text={`armed ×${times}`}
          label={`Disarm: ${ARMED[kind].name}, armed ×${times}`}
          title="Click to disarm"
          run={() => act(disarm(kind))}
        />
      )
    )
  }
  const items = (name: string) =>
    ACTIONS.map(({ kind, text, ...action }) => [
      <Button key={text} class={name} text={text} label={text} {...action} />,
      kind && armed(kind)
    ])
  return (
    <div class="quick end" role="group" aria-label="Quick actions">
      {items('small quiet')}
      <Menu class="quick-menu" text="Actions">
        {items('quiet')}
      </Menu>
    </div>
  )
}

export function ExportMenu() {
  const ids = route.value.view === 'requests' ? shownIds.value : undefined
  const requests = new URLSearchParams({ format: 'scenario', ...(ids && { ids }) })
  const files: readonly (readonly [text: string, path: string, name: string])[] = [
    [
      `${ids ? 'Shown requests' : 'Requests'} as a scenario`,
      `requests?${requests}`,
      'scenario.yaml'
    ],
    ['State as YAML', 'state?format=yaml', 'state.yaml'],
    ['State as JSON', 'state', 'state.json'],
    ['Report of the run, HTML', 'run?format=html', 'report.html'],
    ['Report of the run, JUnit', 'run?format=junit', 'report.xml']
  ]
  return (
    <Menu text="Export" icon="download">
      {files.map(([text, path, name]) => (
        <a key={text} class="button" href={`${controlOf()}/${path}`} download={name}>
          <Icon name="download" />
          {text}
        </a>
      ))}
    </Menu>
  )
}
