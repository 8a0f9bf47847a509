/** The time of a sandbox's clock. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { live } from '../app/store.js'
import type { ClockState } from '../control/client.js'
import { instantInWords } from './instant.js'

const TICK_MS = 250

/** Between two readings a running clock goes on as the browser's does; it stops with the connection. */
export function ClockTime({ clock: { now, running } }: { clock: ClockState }) {
  const shown = useSignal(instantInWords(now))
  const read = useRef({ now: '', at: 0 })
  const isConnected = live.value === 'live'
  if (read.current.now !== now) {
    read.current = { now, at: performance.now() }
    shown.value = instantInWords(now)
  }
  useEffect(() => {
    if (!running || !isConnected) return
    const timer = setInterval(() => {
      const at = new Date(Date.parse(read.current.now) + performance.now() - read.current.at)
      // the year 9999 is the last
      if (at.getUTCFullYear() <= 9999) shown.value = instantInWords(at.toISOString())
    }, TICK_MS)
    return () => clearInterval(timer)
  }, [running, isConnected])
  return <time dateTime={now}>{shown.value}</time>
}
