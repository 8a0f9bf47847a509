/**
 * What the evidence costs: calls a second with journal and coverage on, against the same with them off, in turn in one run.
 * Two processes are started anew for each block; in each round of it both are put under load one after the other for a short time, so that both meet the same disturbances.
 * How the code of a process was compiled and where its memory lies stays as it is until it ends, so the median of many blocks counts.
 *   node bench/evidence.mjs [--blocks 11] [--rounds 16] [--calls 400] [--connections 8] [--least 0.9] [--log-level info]
 * All else is as by default, including the log, whose lines are discarded; with --log-level silent the evidence is a larger share of a call.
 * Exit status 1 when a ratio is below --least.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ask, median, openConnections, request, startEmulator } from './load.mjs'

const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '11' },
    rounds: { type: 'string', default: '16' },
    calls: { type: 'string', default: '400' },
    connections: { type: 'string', default: '8' },
    least: { type: 'string', default: '0.9' },
    'log-level': { type: 'string', default: 'info' },
    only: { type: 'string', default: '' }
  }
})
const [blocks, rounds, calls, connections, least] = [values.blocks, values.rounds, values.calls, values.connections, values.least].map(Number)

const EVIDENCE = ['evidence.journal', 'evidence.coverage']
/** More than the journal holds, so that it is full when measuring begins, and the code is compiled. */
const WARM_UP = 2500
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

/** Processor time that a process has used, all its threads, in seconds; null where the system does not show it. */
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
    .map(name => [name, { ratios: [], on: [], off: [], cpu: { on: 0, off: 0 } }])
)
for (let block = 0; block < blocks; block++) {
  const running = {}
  for (const variant of block % 2 === 0 ? ['on', 'off'] : ['off', 'on']) {
    const settings = Object.fromEntries(EVIDENCE.map(key => [key, variant === 'on']))
    const emulator = await startEmulator({ settings, logLevel: values['log-level'] })
    running[variant] = { ...emulator, ...(await openConnections(emulator.port, connections)) }
  }
  for (const [name, { ratios, cpu, ...speeds }] of Object.entries(results)) {
    const bytes = {}
    const seconds = { on: 0, off: 0 }
    for (const [variant, { port, send }] of Object.entries(running)) {
      await ask(port, 'POST /_control/reset')
      bytes[variant] = await WORK[name](port)
      await send(bytes[variant], WARM_UP)
    }
    for (let round = 0; round < rounds; round++) {
      for (const variant of round % 2 === 0 ? ['on', 'off'] : ['off', 'on']) {
        const { pid, send } = running[variant]
        const before = cpuOf(pid)
        seconds[variant] += calls / (await send(bytes[variant], calls))
        if (before !== null) cpu[variant] += cpuOf(pid) - before
      }
    }
    ratios.push(seconds.off / seconds.on)
    for (const variant of ['on', 'off']) speeds[variant].push((rounds * calls) / seconds[variant])
  }
  for (const { close, stop } of Object.values(running)) {
    close()
    await stop()
  }
}

const about = `${blocks} blocks of ${rounds} rounds of ${calls} calls over ${connections} connections`
console.log(`${about}, log level ${values['log-level']}, node ${process.versions.node}; medians of the blocks`)
console.log(`${'call'.padEnd(24)}  on (calls/s)  off (calls/s)  ratio  of single blocks  processor time`)
let isFastEnough = true
for (const [name, { ratios, on, off, cpu }] of Object.entries(results)) {
  if (median(ratios) < least) isFastEnough = false
  const share = cpu.off === 0 ? '–' : `× ${(cpu.on / cpu.off).toFixed(3)}`
  const figures = [Math.round(median(on)), Math.round(median(off))].map(figure => String(figure).padStart(12))
  const range = `${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)}`
  console.log(`${name.padEnd(24)}  ${figures[0]}  ${figures[1].padStart(13)}  ${median(ratios).toFixed(3)}  ${range.padEnd(16)}  ${share}`)
}
if (!isFastEnough) {
  console.log(`below ${least}`)
  process.exitCode = 1
}
