/** A neighbour: asks the emulator, and a server that does nothing else, the same all the time, from a thread of its own; both waits are told apart. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** The longest waits since they were asked for last, in milliseconds. */
export type Waits = { emulator: number; control: number; calls: number }

const SCRIPT = `
const { parentPort, workerData: { port, path, authorization } } = require('node:worker_threads')
const http = require('node:http')
const { spawn } = require('node:child_process')
const server = spawn(process.execPath, ['-e', 'const s = require("http").createServer((_, r) => r.end("{}")).listen(0, "127.0.0.1", () => console.log(s.address().port)); process.stdin.on("end", () => process.exit()).resume()'], { stdio: ['pipe', 'pipe', 'inherit'] })
let waits = { emulator: 0, control: 0, calls: 0 }
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
    waits = { emulator: Math.max(waits.emulator, emulator), control: Math.max(waits.control, control), calls: waits.calls + 1 }
    await new Promise(resolve => setTimeout(resolve, 10))
  }
})
parentPort.on('message', async () => {
  parentPort.postMessage(waits)
  waits = { emulator: 0, control: 0, calls: 0 }
})
`

export class Neighbour {
  readonly #worker: Worker

  private constructor(worker: Worker) {
    this.#worker = worker
  }

  static async start(port: number, path: string, authorization: string): Promise<Neighbour> {
    const worker = new Worker(SCRIPT, { eval: true, workerData: { port, path, authorization }, execArgv: [] })
    await once(worker, 'message')
    return new Neighbour(worker)
  }

  async waits(): Promise<Waits> {
    this.#worker.postMessage('waits')
    const [waits] = await once(this.#worker, 'message')
    return waits
  }

  async stop(): Promise<void> {
    await this.#worker.terminate()
  }
}
