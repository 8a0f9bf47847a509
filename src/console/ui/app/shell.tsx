/** The frame around every view. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Button } from '../components/button.js'
import { ClockTime } from '../components/clock-time.js'
import { Dialog } from '../components/dialog.js'
import { CheckField, SelectField } from '../components/fields.js'
import { Choices } from '../components/links.js'
import { Failure, Loading } from '../components/states.js'
import { Pairs } from '../components/table.js'
import { Toasts, toastError } from '../components/toast.js'
import { api, ControlError } from '../control/client.js'
import { controlOf, sandbox } from '../control/place.js'
import type { View } from '../views/view.js'
import { VIEWS, type ViewName } from '../views/views.js'
import { areShortcutsOn, shortcuts, switchShortcuts, useShortcuts } from './keyboard.js'
import { choiceIn, FIRST_VIEW, go, route } from './route.js'
import { SignIn } from './sign-in.js'
import { isAllowed, type LiveState, live, overview, sandboxes, session, tokenRequired } from './store.js'
import { nextTheme, theme } from './theme.js'

const LIVE: Readonly<Record<LiveState, string>> = { connecting: 'Connecting', live: 'Live', interrupted: 'Reconnecting' }
const NAMES = Object.keys(VIEWS) as ViewName[]

export function Shell() {
  const isHelpShown = useSignal(false)
  const name = choiceIn(VIEWS, route.value.view, FIRST_VIEW)
  useShortcuts([
    { key: '?', about: 'This help', run: () => (isHelpShown.value = true) },
    { key: '/', about: 'To the search field', run: () => document.querySelector<HTMLElement>('[aria-keyshortcuts="/"]')?.focus() },
    { key: 't', about: 'Light or dark', run: nextTheme }
  ])
  useEffect(() => {
    document.title = [VIEWS[name].title, sandbox.value, 'commerce-emulator'].filter(Boolean).join(' · ')
  }, [name, sandbox.value])

  if (session.value !== null && !isAllowed())
    return (
      <>
        <main id="main">
          <SignIn />
        </main>
        <Toasts />
      </>
    )
  return (
    <>
      <Button class="skip" text="To the content" run={() => document.getElementById('main')?.focus()} />
      <Header onHelp={() => (isHelpShown.value = true)} />
      <Choices class="views" label="Views" current="page" choices={NAMES.map(view => [view, VIEWS[view].title, { view }])} chosen={name} />
      <main id="main" tabIndex={-1}>
        {session.value !== null && <Shown key={name} name={name} />}
      </main>
      <Toasts />
      {isHelpShown.value && <Help onClose={() => (isHelpShown.value = false)} />}
    </>
  )
}

/** A view, once its script is loaded. */
function Shown({ name }: { name: ViewName }) {
  const loaded = useSignal<View | null>(null)
  const error = useSignal<ControlError | null>(null)
  useEffect(() => {
    VIEWS[name].load().then(
      view => (loaded.value = view),
      () => (error.value = new ControlError('no_answer', 'The emulator does not answer.', 0))
    )
  }, [name])
  if (error.value !== null) return <Failure error={error.value} />
  return loaded.value === null ? <Loading /> : <loaded.value.Page />
}

function Header({ onHelp }: { onHelp: () => void }) {
  const { scenario, clock } = overview.value ?? {}
  return (
    <header class="top">
      <p class="name">commerce-emulator</p>
      <SandboxSwitch />
      <p class="live" data-state={live.value} role="status">
        {LIVE[live.value]}
      </p>
      <p class="scenario" title={scenario?.description ?? ''}>
        {scenario?.name ?? ''}
      </p>
      <p class="clock">
        {clock && <ClockTime clock={clock} />}
        {clock?.running === false && ', frozen'}
      </p>
      <div class="tools">
        <a href={`${controlOf()}/docs`}>API</a>
        <Button class="quiet" text={`Theme: ${theme.value}`} run={nextTheme} />
        <Button class="quiet" text="?" label="Help with the keyboard" run={onHelp} />
        {session.value?.token_required && <Button class="quiet" text="Sign out" run={signOut} />}
      </div>
    </header>
  )
}

const signOut = () => api.signOut().then(tokenRequired, toastError)

/** Every sandbox, and the chosen one, which need not exist yet. */
function SandboxSwitch() {
  const names = new Set([...sandboxes.value.map(({ name }) => name), sandbox.value].filter(Boolean))
  const choose = (name: string) => go({ view: route.value.view, sandbox: name })
  return <SelectField label="Sandbox" isLabelHidden value={sandbox.value} onChange={choose} options={[['', 'base sandbox'], ...names]} />
}

function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <Pairs class="keys" pairs={shortcuts.value.map(({ key, about }) => [<kbd key={key}>{key}</kbd>, about])} />
      <CheckField label="Shortcuts of one key" value={areShortcutsOn.value} onChange={switchShortcuts} />
    </Dialog>
  )
}
