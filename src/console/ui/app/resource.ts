/**
 * What a component reads from the control API: at first, when its key changes, and after every
 * change of the emulator.
 */
import { useSignal, useSignalEffect } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { type ControlError, sandbox } from '../control/client.js'
import { isAllowed, revision, traffic } from './store.js'

/** `data` is the last that was read; null before. */
type Answer<T> = { data: T | null; error: ControlError | null }
export type Resource<T> = Answer<T> & { reload: () => void }

export type Options = {
  /** Not read again when the emulator changes. */
  once?: boolean
  /** Read again after requests that changed nothing too. */
  isEvidence?: boolean
  /** Read again every so many milliseconds: for what changes without an event. */
  every?: number
}

export function useResource<T>(
  read: () => Promise<T>,
  key = '',
  { once = false, isEvidence = false, every }: Options = {}
): Resource<T> {
  const answer = useSignal<Answer<T>>({ data: null, error: null })
  const reader = useRef(read)
  reader.current = read
  const wanted = useSignal(key)
  wanted.value = key
  const shown = useRef<string | null>(null)
  const tries = useSignal(0)

  useSignalEffect(() => {
    const place = `${sandbox.value} ${wanted.value}`
    void tries.value
    if (!once) void (isEvidence ? traffic : revision).value
    if (!isAllowed()) return
    if (shown.current !== place) answer.value = { data: null, error: null }
    shown.current = place
    let isOver = false
    const keep = (read: Answer<T>) => {
      if (!isOver) answer.value = read
    }
    const readAgain = () =>
      reader.current().then(
        data => keep({ data, error: null }),
        error => keep({ data: answer.peek().data, error })
      )
    void readAgain()
    const timer = every === undefined ? undefined : setInterval(readAgain, every)
    return () => {
      isOver = true
      clearInterval(timer)
    }
  })
  return { ...answer.value, reload: () => void tries.value++ }
}
