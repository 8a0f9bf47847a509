/** Short messages, read out by screen readers. */
import { signal } from '@preact/signals'
import { Button } from './controls.js'
import { Icon } from './icon.js'

type Action = { text: string; run: () => unknown }
type Toast = { id: number; text: string; kind: 'done' | 'error'; action: Action | undefined }

const SHOWN_MS = 6000
const SHOWN_LONG_MS = 20_000
const toasts = signal<readonly Toast[]>([])
let last = 0

export const endToasts = () => (toasts.value = [])
const dismiss = (id: number) => (toasts.value = toasts.value.filter(toast => toast.id !== id))

export function toast(text: string, kind: Toast['kind'] = 'done', action?: Action): void {
  const id = ++last
  // only what was done last is undone
  const others = toasts.value.filter(item => item.text !== text && !(action && item.action))
  toasts.value = [...others, { id, text, kind, action }].slice(-3)
  if (kind === 'done') setTimeout(() => dismiss(id), action ? SHOWN_LONG_MS : SHOWN_MS)
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

export function toastError(error: unknown): void {
  if (error instanceof Error && 'code' in error && error.code === 'token_required') return
  toast(messageOf(error), 'error')
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, kind, action }) => (
        <div key={id} class={`toast ${kind}`}>
          <Icon name={kind === 'done' ? 'done' : 'refused'} />
          <span>{text}</span>
          <span>
            {action && (
              <Button class="small" text={action.text} run={() => [dismiss(id), action.run()]} />
            )}
          </span>
          <Button class="quiet" icon="close" label="Close message" run={() => dismiss(id)} />
        </div>
      ))}
    </div>
  )
}

export const copy = (text: string, what: string): Promise<void> =>
  // a page without HTTPS has no clipboard
  Promise.resolve(navigator.clipboard?.writeText(text) ?? Promise.reject()).then(
    () => toast(`${what} copied`),
    () => toast('The browser does not allow copying; select the text instead.', 'error')
  )
