/** Short messages at the corner of the page, read out by screen readers. */
import { signal } from '@preact/signals'
import { Button } from './button.js'

type Toast = { id: number; text: string; kind: 'done' | 'error' }

const SHOWN_MS = 6000
const toasts = signal<readonly Toast[]>([])
let last = 0

const dismiss = (id: number) => (toasts.value = toasts.value.filter(toast => toast.id !== id))

/** Says what was done, or what went wrong; an error stays until it is closed. */
export function toast(text: string, kind: Toast['kind'] = 'done'): void {
  const id = ++last
  toasts.value = [...toasts.value.filter(other => other.text !== text), { id, text, kind }].slice(-3)
  if (kind === 'done') setTimeout(() => dismiss(id), SHOWN_MS)
}

/** Shows an error. Where a token is required nothing is shown: the console asks for it then. */
export function toastError(error: unknown): void {
  if (error instanceof Error && 'code' in error && error.code === 'token_required') return
  toast(error instanceof Error ? error.message : String(error), 'error')
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, kind }) => (
        <div key={id} class={`toast ${kind}`}>
          <span>{text}</span>
          <Button class="quiet" text="×" label="Close message" run={() => dismiss(id)} />
        </div>
      ))}
    </div>
  )
}
