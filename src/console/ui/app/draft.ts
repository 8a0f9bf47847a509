/** What is typed to be sent. */
import { signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { ControlError } from '../control/client.js'
import { attempt, type Done } from './command.js'

/** A text that goes into control calls, and why one was refused until more is typed: problems name places of the text as it was. */
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
    /** Returns whether the call was taken. */
    send: async <T>(call: Promise<T>, done?: Done<T>): Promise<boolean> => {
      refused.value = await attempt(call, done)
      return refused.value === null
    },
    get editor() {
      return { value: text.value, error: refused.value, onChange: write }
    },
    /** A field shows one problem. */
    get field() {
      return { ...this.editor, error: refused.value && (refused.value.problems[0]?.message ?? refused.value.message) }
    }
  }
}

/** A draft for as long as a component is shown. */
export const useDraft = (initial?: string) => useMemo(() => draft(initial), [])
