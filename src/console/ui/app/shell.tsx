/** The frame around every view. */
import { effect, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { keysOf } from '../../../reference/rules.js'
import { Button, ButtonLink, CheckField } from '../components/controls.js'
import { Dialog, Questions } from '../components/dialog.js'
import { Icon } from '../components/icon.js'
import { Loading, Pairs } from '../components/layout.js'
import { Choices } from '../components/links.js'
import { Toasts } from '../components/toast.js'
import { controlOf, sandbox } from '../control/client.js'
import { instantInWords } from '../views/count.js'
import { Page as Data } from '../views/data/index.js'
import { Page as Evidence } from '../views/evidence/index.js'
import { Page as Requests } from '../views/requests/index.js'
import { Page as Scenario } from '../views/scenario/index.js'
import { Page as Settings } from '../views/settings/index.js'
import { areShortcutsOn, focusSearch, shortcuts, storedSignal, useShortcuts } from './keyboard.js'
import { ExportMenu, QuickActions } from './quick-actions.js'
import { choiceIn, FIRST_VIEW, go, hrefOf, route } from './route.js'
import { Gone, Sandboxes, sandboxShown } from './sandboxes.js'
import { expectations, isConnected, isGone, type LiveState, live, overview } from './store.js'

const LIVE: Readonly<Record<LiveState, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  interrupted: 'Reconnecting'
}
const VIEWS = {
  requests: { title: 'Requests', icon: 'requests', Page: Requests },
  evidence: { title: 'Tests & evidence', icon: 'evidence', Page: Evidence },
  data: { title: 'Data', icon: 'data', Page: Data },
  scenario: { title: 'Scenario', icon: 'scenario', Page: Scenario },
  settings: { title: 'Settings', icon: 'settings', Page: Settings }
} as const
type ViewName = keyof typeof VIEWS
const NAMES = keysOf(VIEWS)
const THEMES = ['system', 'light', 'dark']

const theme = storedSignal('theme', 'system')
effect(() => {
  document.documentElement.style.colorScheme = theme.value === 'system' ? '' : theme.value
})
const nextTheme = () => (theme.value = THEMES[THEMES.indexOf(theme.value) + 1] ?? 'system')

function useShellShortcuts(showHelp: () => void) {
  useShortcuts([
    { key: '?', about: 'Shortcuts', run: showHelp },
    { key: '/', about: 'Search', run: () => focusSearch() },
    { key: 't', about: 'Switch theme', run: nextTheme },
    ...NAMES.map((view, place) => ({
      key: String(place + 1),
      about: VIEWS[view].title,
      run: () => go({ view })
    }))
  ])
}

export function Shell() {
  const isHelpShown = useSignal(false)
  const areSandboxesShown = useSignal(false)
  const showHelp = () => (isHelpShown.value = true)
  const name = choiceIn(VIEWS, route.value.view, FIRST_VIEW)
  useShellShortcuts(showHelp)
  useEffect(() => {
    document.title = [VIEWS[name].title, sandbox.value, 'commerce-emulator']
      .filter(Boolean)
      .join(' · ')
  }, [name, sandbox.value])

  const { Page } = VIEWS[name]
  const isKnown = isConnected() && (sandbox.value === '' || overview.value !== null)
  return (
    <>
      <Side name={name} onHelp={showHelp} onSandboxes={() => (areSandboxesShown.value = true)} />
      <main id="main" tabIndex={-1}>
        <div class="bar">
          <h1>{VIEWS[name].title}</h1>
          {!isGone.value && isKnown && [<QuickActions key="quick" />, <ExportMenu key="export" />]}
        </div>
        {isGone.value && <Gone />}
        {!isGone.value && (isKnown ? <Page key={name} /> : <Loading />)}
      </main>
      <Toasts />
      {areSandboxesShown.value && <Sandboxes onClose={() => (areSandboxesShown.value = false)} />}
      {isHelpShown.value && <Help onClose={() => (isHelpShown.value = false)} />}
      <Questions />
    </>
  )
}

const Brand = () => (
  <p class="brand">
    <img src="/_control/console/icon.svg" alt="" />
    <span>commerce-emulator</span>
  </p>
)

type SideProps = { name: ViewName; onHelp: () => void; onSandboxes: () => void }

function Side({ name, onHelp, onSandboxes }: SideProps) {
  const title = (view: ViewName) => [
    <Icon key="icon" name={VIEWS[view].icon} />,
    <span key="title">{VIEWS[view].title}</span>,
    view === 'evidence' && <Met key="met" />
  ]
  return (
    <header class="side">
      <Button
        class="hidden"
        text="Skip to content"
        run={() => document.getElementById('main')?.focus()}
      />
      <Brand />
      <Button
        class="switch"
        icon="sandboxes"
        text={sandboxShown()}
        label={`Sandbox: ${sandboxShown()}`}
        title="Choose, create or compare sandboxes"
        run={onSandboxes}
      />
      <Choices
        class="views"
        label="Views"
        choices={NAMES.map(view => [view, title(view), { view }])}
        chosen={name}
      />
      <Status />
      <Tools onHelp={onHelp} />
    </header>
  )
}

function Status() {
  const { scenario, clock } = overview.value ?? {}
  return (
    <div class="status">
      <p class="live" data-state={live.value} role="status">
        <span>
          {LIVE[live.value]}
          {clock?.running === false && ' · clock frozen'}
        </span>
      </p>
      <a href={hrefOf({ view: 'scenario' })} title={scenario?.description ?? ''}>
        {scenario?.name ?? '…'}
      </a>
      <p class="clock faint">{clock && instantInWords(clock.now)}</p>
    </div>
  )
}

const Tools = ({ onHelp }: Pick<SideProps, 'onHelp'>) => (
  <div class="tools">
    <ButtonLink
      class="small quiet"
      icon="book"
      text="API"
      href={`${controlOf()}/docs`}
      title="Read and try the emulated API"
    />
    <Button class="small quiet" icon="theme" label={`Theme: ${theme.value}`} run={nextTheme} />
    <Button class="small quiet" icon="keyboard" label="Shortcuts" run={onHelp} />
  </div>
)

function Met() {
  const { length } = expectations.value
  const met = expectations.value.filter(({ verdict }) => verdict === 'met').length
  if (length === 0) return null
  const kind = expectations.value.some(({ verdict }) => verdict === 'unmet') ? 'bad' : ''
  return (
    <span
      class={`badge ${met === length ? 'good' : kind}`}
      title={`${met} of ${length} expectations met`}
    >
      {met}/{length}
    </span>
  )
}

function Help({ onClose }: { onClose: () => void }) {
  const distinct = shortcuts.value.filter(
    ({ key }, place, all) => all.findIndex(shortcut => shortcut.key === key) === place
  )
  return (
    <Dialog title="Shortcuts" onClose={onClose}>
      <Pairs
        class="keys"
        pairs={distinct.map(({ key, about }) => [<kbd key={key}>{key}</kbd>, about])}
      />
      <CheckField
        label="Single-key shortcuts"
        value={areShortcutsOn.value}
        onChange={isOn => (areShortcutsOn.value = isOn)}
      />
    </Dialog>
  )
}
