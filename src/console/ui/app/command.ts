/** Control requests that change something, and how they are undone. */
import { signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { toast, toastError } from '../components/toast.js'
import { ControlError, control } from '../control/client.js'
import { changed } from './store.js'

export type Done<T> = string | ((response: T) => string)
export type Undo = () => Promise<string>

/** Says what was done, by default the response, and offers to undo it. Returns a refusal. */
async function attempt<T>(
  call: Promise<T>,
  done: Done<T> = String,
  undo?: Undo
): Promise<ControlError | null> {
  let response: T
  try {
    response = await call
  } catch (error) {
    if (error instanceof ControlError && error.code !== 'token_required') return error
    toastError(error)
    return null
  }
  changed()
  toast(
    typeof done === 'string' ? done : done(response),
    'done',
    undo && { text: 'Undo', run: () => act(undo()) }
  )
  return null
}

export async function act<T>(call: Promise<T>, done?: Done<T>, undo?: Undo): Promise<void> {
  const refused = await attempt(call, done, undo)
  if (refused !== null) toastError(refused)
}

/** A snapshot is taken first, and undo restores it; a snapshot has no journal. */
export function undoable(kind: 'reset' | 'restore' | 'restore-again' | 'merge' | 'load') {
  const name = `before-${kind}`
  const undo: Undo = () =>
    control('POST /snapshots/NAME/restore', { name }).then(
      () => 'Undone, except the cleared request log.'
    )
  return { first: () => control('PUT /snapshots/NAME', { name }), undo }
}

export function reset() {
  const { first, undo } = undoable('reset')
  return act(
    first().then(() => control('POST /reset')),
    'Reset. You can undo this, except the cleared request log.',
    undo
  )
}

/** What is typed for control requests, and why the last one was refused until more is typed. */
export function draft(initial = '') {
  const text = signal(initial)
  const refused = signal<ControlError | null>(null)
  const write = (typed: string) => {
    text.value = typed
    refused.value = null
  }
  return {
    text,
    refused,
    write,
    send: async <T>(call: Promise<T>, done?: Done<T>, undo?: Undo): Promise<boolean> => {
      refused.value = await attempt(call, done, undo)
      return refused.value === null
    },
    get field() {
      return {
        value: text.value,
        onChange: write,
        error: refused.value && (refused.value.problems[0]?.message ?? refused.value.message)
      }
    }
  }
}
export type Draft = ReturnType<typeof draft>

export const useDraft = (initial?: string): Draft => useMemo(() => draft(initial), [])
