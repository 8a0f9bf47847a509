/** A neighbour: asks the emulator, and a server that does nothing else, the same all the time, from a thread of its own; both waits are told apart. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** In milliseconds. */
type Waits = { emulator: number; control: number }

const SCRIPT = `
const { parentPort, workerData: { port, path, authorization } } = require('node:worker_threads')
const http = require('node:http')
const { spawn } = require('node:child_process')
const server = spawn(process.execPath, ['-e', 'const s = require("http").createServer((_, r) => r.end("{}")).listen(0, "127.0.0.1", () => console.log(s.address().port)); process.stdin.on("end", () => process.exit()).resume()'], { stdio: ['pipe', 'pipe', 'inherit'] })
let waits = { emulator: 0, control: 0 }
const agent = new http.Agent({ keepAlive: true })
const call = (port, path) => new Promise(resolve => {
  const begun = performance.now()
  const done = () => resolve(performance.now() - begun)
  http.get({ port, host: '127.0.0.1', path, agent, headers: { authorization } }, answer => answer.resume().on('end', done).on('error', done)).on('error', done)
})
server.stdout.once('data', async text => {
  parentPort.postMessage('ready')
  for (;;) {
    const [emulator, control] = await Promise.all([call(port, path), call(Number(text), '/')])
    waits = { emulator: Math.max(waits.emulator, emulator), control: Math.max(waits.control, control) }
    await new Promise(resolve => setTimeout(resolve, 10))
  }
})
parentPort.on('message', async () => {
  parentPort.postMessage(waits)
  waits = { emulator: 0, control: 0 }
})
`

/** Starts a neighbour; `waits` returns its longest waits since they were asked for last. */
export async function startNeighbour(port: number, path: string, authorization: string) {
  const worker = new Worker(SCRIPT, { eval: true, workerData: { port, path, authorization }, execArgv: [] })
  await once(worker, 'message')
  const waits = async (): Promise<Waits> => {
    worker.postMessage('waits')
    return (await once(worker, 'message'))[0]
  }
  return { waits, stop: () => worker.terminate() }
}
