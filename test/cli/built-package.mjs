/**
 * Uses the built package in a separate process, so that every lazily loaded part is loaded. Prints
 * the results as JSON.
 */
import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [dist, folder] = process.argv.slice(2)
const { connect, EmulatorError, startEmulator } = await import(
  pathToFileURL(join(dist, 'index.js')).href
)
const require = createRequire(import.meta.url)
const { script } = require(join(dist, 'emulator', 'load.js'))

const settings = {
  snapshots_dir: join(folder, 'snapshots'),
  data: join(folder, 'state'),
  watch: true
}
const { url, inject, close } = await startEmulator({ scenario: join(folder, 'own.yaml'), settings })
const isLoaded = name => Object.keys(require.cache).some(file => file.endsWith(`${name}.js`))
const own = async (path, { method = 'GET', headers } = {}) => {
  const answer = await fetch(`${url}/_control${path}`, { method, headers })
  return [answer.status, answer.headers.get('content-type'), (await answer.text()).length > 0]
}
const shown = {
  metrics: await own('/metrics'),
  yaml: await own('/state?format=yaml'),
  console: await own('', { headers: { accept: 'text/html' } }),
  docs: await own('/docs/swagger-ui.css'),
  openapi: await own('/openapi.json'),
  snapshot: await own('/snapshots/one', { method: 'PUT' })
}
const state = await (await fetch(`${url}/_control/state`)).text()
const connected = await connect({ url })
const scripted = [
  (await inject('GET /tickets/tkt_any')).status,
  (await connected.inject('GET /tickets/tkt_any')).status
]
await connected.close()
await close()

const refused = await startEmulator({ settings: { seed: 'x' } }).catch(error => [
  error instanceof EmulatorError,
  error.message
])
// nothing listens there, whatever the protocol
const overTls = await connect({ url: 'https://127.0.0.1:1', timeout: 0 }).catch(error => error.code)
const loaded = { lowdb: isLoaded('lowdb') }
const packages = readdirSync(join(dist, 'packages')).filter(file =>
  require(join(dist, 'packages', file))
)
process.stdout.write(
  JSON.stringify({
    state,
    isCodeKept: script.cachedDataRejected === false,
    shown,
    scripted,
    refused,
    overTls,
    loaded,
    packages
  })
)
