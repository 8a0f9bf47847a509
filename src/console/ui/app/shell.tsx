/** The frame around every view: header, navigation, messages, the help of the keyboard, and the form for signing in. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ClockTime } from '../components/clock-time.js'
import { Dialog } from '../components/dialog.js'
import { CheckField, SelectField } from '../components/fields.js'
import { Failure } from '../components/states.js'
import { Toasts, toastError } from '../components/toast.js'
import { api, type ControlError } from '../control/client.js'
import { controlOf, sandbox } from '../control/place.js'
import type { View } from '../views/view.js'
import { VIEWS, type ViewName } from '../views/views.js'
import { areShortcutsOn, shortcuts, switchShortcuts, useShortcuts } from './keyboard.js'
import { FIRST_VIEW, go, hrefOf, route } from './route.js'
import { SignIn } from './sign-in.js'
import { isAllowed, type LiveState, live, overview, sandboxes, session } from './store.js'
import { nextTheme, theme } from './theme.js'

const LIVE: Readonly<Record<LiveState, string>> = { connecting: 'Connecting', live: 'Live', interrupted: 'Reconnecting' }
const NAMES = Object.keys(VIEWS) as ViewName[]

export function Shell() {
  const isHelpShown = useSignal(false)
  const name = (NAMES as string[]).includes(route.value.view) ? (route.value.view as ViewName) : FIRST_VIEW
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
      <Frame>
        <SignIn />
      </Frame>
    )
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        To the content
      </button>
      <Header onHelp={() => (isHelpShown.value = true)} />
      <nav class="views" aria-label="Views">
        {NAMES.map(view => (
          <a key={view} href={hrefOf({ view })} aria-current={view === name ? 'page' : undefined}>
            {VIEWS[view].title}
          </a>
        ))}
      </nav>
      <main id="main" tabIndex={-1}>
        {session.value !== null && <Shown key={name} name={name} />}
      </main>
      <Toasts />
      {isHelpShown.value && <Help onClose={() => (isHelpShown.value = false)} />}
    </>
  )
}

function Frame({ children }: { children: preact.ComponentChildren }) {
  return (
    <>
      <main id="main">{children}</main>
      <Toasts />
    </>
  )
}

/** A view, once its script is loaded. */
function Shown({ name }: { name: ViewName }) {
  const loaded = useSignal<View | null>(null)
  const error = useSignal<ControlError | null>(null)
  useEffect(() => {
    const view = VIEWS[name].load()
    if (!(view instanceof Promise)) {
      loaded.value = view
      return
    }
    view.then(
      view => {
        loaded.value = view
      },
      failure => {
        error.value = failure
      }
    )
  }, [name])
  if (error.value !== null) return <Failure error={{ ...error.value, message: 'The emulator does not answer.', problems: [] } as ControlError} />
  return loaded.value === null ? <div class="loading" aria-busy="true" /> : <loaded.value.Page />
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
        <button type="button" class="quiet" onClick={nextTheme}>
          Theme: {theme.value}
        </button>
        <button type="button" class="quiet" onClick={onHelp} aria-label="Help with the keyboard">
          ?
        </button>
        {session.value?.token_required && (
          <button type="button" class="quiet" onClick={signOut}>
            Sign out
          </button>
        )}
      </div>
    </header>
  )
}

async function signOut(): Promise<void> {
  try {
    await api.signOut()
    session.value = { token_required: true, signed_in: false }
  } catch (error) {
    toastError(error)
  }
}

/** Every sandbox there is, and the one that is chosen, which need not be there yet. */
function SandboxSwitch() {
  const names = new Set(['', ...sandboxes.value.map(({ name }) => name), sandbox.value])
  return (
    <SelectField
      label="Sandbox"
      isLabelHidden
      value={sandbox.value}
      onChange={name => go({ view: route.value.view, sandbox: name })}
      options={[...names].map(name => [name, name === '' ? 'base sandbox' : name] as const)}
    />
  )
}

function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <dl class="keys">
        {shortcuts.value.map(({ key, about }) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
      <CheckField label="Shortcuts of one key" value={areShortcutsOn.value} onChange={switchShortcuts} />
    </Dialog>
  )
}
