/** What a component reads from the control API, again after every change of the emulator. */
import { useSignal, useSignalEffect } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { type ControlError, sandbox } from '../control/client.js'
import { isConnected, revision, traffic } from './store.js'

/** `data` is the last that was read; null before. */
type Result<T> = { data: T | null; error: ControlError | null }
export type Resource<T> = Result<T> & { reload: () => void }

export type Options = {
  /** Not read again when the emulator changes. */
  once?: boolean
  /** Read again after requests that changed nothing too. */
  isEvidence?: boolean
  /** Milliseconds after which it is read again: for what changes without an event. */
  every?: number
}

export function useResource<T>(
  read: () => Promise<T>,
  key = '',
  { once = false, isEvidence = false, every }: Options = {}
): Resource<T> {
  const result = useSignal<Result<T>>({ data: null, error: null })
  const reader = useRef(read)
  reader.current = read
  const currentKey = useSignal(key)
  currentKey.value = key
  const lastPlace = useRef<string | null>(null)
  const tries = useSignal(0)

  useSignalEffect(() => {
    const place = `${sandbox.value} ${currentKey.value}`
    void tries.value
    if (!once) void (isEvidence ? traffic : revision).value
    if (!isConnected()) return
    if (lastPlace.current !== place) result.value = { data: null, error: null }
    lastPlace.current = place
    let isOver = false
    const keep = (read: Result<T>) => {
      if (!isOver) result.value = read
    }
    const readAgain = () =>
      reader.current().then(
        data => keep({ data, error: null }),
        error => keep({ data: result.peek().data, error })
      )
    void readAgain()
    const timer = every === undefined ? undefined : setInterval(readAgain, every)
    return () => {
      isOver = true
      clearInterval(timer)
    }
  })
  return { ...result.value, reload: () => void tries.value++ }
}
