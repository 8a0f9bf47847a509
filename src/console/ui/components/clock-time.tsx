/** The time of a sandbox's clock. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { live } from '../app/store.js'
import type { ClockState } from '../control/client.js'
import { instantInWords } from './instant.js'

const TICK_MS = 250

/**
 * Between two readings a running clock goes on as the browser's does; it stops with the connection.
 */
export function ClockTime({ clock: { now, running } }: { clock: ClockState }) {
  const shown = useSignal(now)
  const isConnected = live.value === 'live'
  useEffect(() => {
    if (!isConnected) return
    shown.value = now
    if (!running) return
    const readAt = performance.now()
    const timer = setInterval(() => {
      const at = new Date(Date.parse(now) + performance.now() - readAt)
      // the year 9999 is the last
      if (at.getUTCFullYear() <= 9999) shown.value = at.toISOString()
    }, TICK_MS)
    return () => clearInterval(timer)
  }, [now, running, isConnected])
  return <time dateTime={now}>{instantInWords(shown.value)}</time>
}
