/**
 * What the evidence costs: calls a second with journal, coverage and trace on, against the same with them off, in turn in one run.
 * Two processes are started anew for each block of rounds; in each round both are loaded one after the other, and the median of the rounds' ratios counts.
 *   node bench/evidence.mjs [--blocks 3] [--rounds 7] [--calls 2500] [--connections 8] [--least 0.9] [--log-level info]
 * All else is as by default, the log among it, whose lines go nowhere; with --log-level silent the evidence weighs more.
 * Exit status 1 when a ratio is below --least.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ask, median, openConnections, request, startEmulator } from './load.mjs'

const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '7' },
    calls: { type: 'string', default: '2500' },
    connections: { type: 'string', default: '8' },
    least: { type: 'string', default: '0.9' },
    'log-level': { type: 'string', default: 'info' },
    only: { type: 'string', default: '' }
  }
})
const [blocks, rounds, calls, connections, least] = [values.blocks, values.rounds, values.calls, values.connections, values.least].map(Number)

const EVIDENCE = ['evidence.journal', 'evidence.coverage', 'evidence.trace']
const VARIANTS = { on: true, off: false }
/** More than the journal holds, so that it is full when the measuring begins. */
const WARM_UP = 1200
const form = 'application/x-www-form-urlencoded'

const WORK = {
  'GET /tickets/{id}': async () => request('GET /next/tickets/tkt_60'),
  'GET /tickets, ten': async () => request('GET /next/tickets?limit=10'),
  'GET /transactions, ten': async () => request('GET /next/transactions?limit=10'),
  'POST /refunds': async port => {
    const body = 'ticket=tkt_60&payment_type=card&amount=1000000000000&card[brand]=visa&card[last4]=4242'
    const { id } = await ask(port, 'POST /next/transactions', { body, headers: { 'content-type': form } })
    return request('POST /next/refunds', { form: `transaction=${id}&amount=1&reason=cold+soup&metadata%5Bshift%5D=late` })
  },
  'POST /transactions': async () =>
    request('POST /next/transactions', {
      key: null,
      form: 'ticket=tkt_60&payment_type=card&amount=4200&tip_amount=700&currency=usd&card%5Bbrand%5D=visa&card%5Blast4%5D=4242&customer%5Bemail%5D=ana%40example.com'
    })
}

/** Processor time that a process has used, all its threads, in seconds; null where the system does not tell. */
function cpuOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return null
  }
}

const results = Object.fromEntries(
  Object.keys(WORK)
    .filter(name => name.includes(values.only))
    .map(name => [name, { on: [], off: [], cpu: { on: 0, off: 0 } }])
)
for (let block = 0; block < blocks; block++) {
  const running = {}
  for (const [variant, isOn] of Object.entries(VARIANTS)) {
    const emulator = await startEmulator({ settings: Object.fromEntries(EVIDENCE.map(key => [key, isOn])), logLevel: values['log-level'] })
    running[variant] = { ...emulator, ...(await openConnections(emulator.port, connections)) }
  }
  for (const [name, { cpu, ...speeds }] of Object.entries(results)) {
    for (let round = -1; round < rounds; round++) {
      for (const variant of round % 2 === 0 ? ['on', 'off'] : ['off', 'on']) {
        const { port, pid, send } = running[variant]
        await ask(port, 'POST /_control/reset')
        const bytes = await WORK[name](port)
        await send(bytes, WARM_UP)
        const before = cpuOf(pid)
        const speed = await send(bytes, calls)
        if (round < 0) continue
        speeds[variant].push(speed)
        if (before !== null) cpu[variant] += cpuOf(pid) - before
      }
    }
  }
  for (const { close, stop } of Object.values(running)) {
    close()
    await stop()
  }
}

console.log(
  `${blocks * rounds} rounds of ${calls} calls over ${connections} connections, log level ${values['log-level']}, node ${process.versions.node}; medians`
)
console.log(`${'call'.padEnd(24)}  on (calls/s)  off (calls/s)  kept   processor time`)
let isKept = true
for (const [name, { on, off, cpu }] of Object.entries(results)) {
  const kept = median(on.map((speed, index) => speed / off[index]))
  if (kept < least) isKept = false
  const share = cpu.off === 0 ? '–' : `× ${(cpu.on / cpu.off).toFixed(3)}`
  const figures = [Math.round(median(on)), Math.round(median(off))].map(figure => String(figure).padStart(12))
  console.log(`${name.padEnd(24)}  ${figures[0]}  ${figures[1].padStart(13)}  ${kept.toFixed(3)}  ${share}`)
}
if (!isKept) {
  console.log(`below ${least}`)
  process.exitCode = 1
}
