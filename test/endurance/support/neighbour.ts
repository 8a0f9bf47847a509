/**
 * A neighbour in a process of its own, so that the load of the test does not delay it: it makes GET calls one after the other over a keep-alive connection and
 * measures how long each takes. Messages from the parent process say which sites to call; every second the times since the last report are sent back.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, clientOf } from './emulator.js'

/** Where to call, or null to stop. */
export type Instruction = { site: string; port: number | null }
/** The milliseconds of each call, by site, and answers other than 200. */
export type Reported = { site: string; times: number[]; wrong: string[] }

const PAUSE_MS = 20
const BREAK_MS = 500
const PATHS = ['GET /next/tickets?limit=5', 'GET /next/locations', 'GET /next/transactions?limit=5']
const reports = new Map<string, Reported>()
const calling = new Map<string, { isOver: boolean }>()

async function callOn({ call, close }: Client, { times, wrong }: Reported, run: { isOver: boolean }): Promise<void> {
  for (let nth = 0; !run.isOver; nth++) {
    const since = performance.now()
    try {
      const { status, text } = await call(PATHS[nth % PATHS.length] as string)
      if (run.isOver) break
      times.push(performance.now() - since)
      if (status !== 200) wrong.push(`${status} ${text.slice(0, 200)}`)
    } catch (error) {
      // the message that the site stops may come after its connections have broken
      await sleep(BREAK_MS)
      if (run.isOver) break
      wrong.push(String(error))
    }
    await sleep(PAUSE_MS)
  }
  close()
}

process.on('message', ({ site, port }: Instruction) => {
  const running = calling.get(site)
  if (running) running.isOver = true
  if (port === null) return
  const run = { isOver: false }
  calling.set(site, run)
  const report = reports.get(site) ?? { site, times: [], wrong: [] }
  reports.set(site, report)
  void callOn(clientOf(port, 'neighbour'), report, run)
})

setInterval(() => {
  for (const { site, times, wrong } of reports.values()) process.send?.({ site, times: times.splice(0), wrong: wrong.splice(0) } satisfies Reported)
}, 1000)
process.on('disconnect', () => process.exit())
