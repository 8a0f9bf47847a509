/** Uses the built package in a process of its own, so that every part of it is loaded that is loaded when it is first needed. Prints what came of it as JSON. */
import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [dist, folder] = process.argv.slice(2)
const { ApiError, startEmulator } = await import(pathToFileURL(join(dist, 'index.js')).href)
const require = createRequire(import.meta.url)
const { script } = require(join(dist, 'load.js'))

const settings = { snapshots_dir: join(folder, 'snapshots'), data: join(folder, 'state.json'), watch: true }
const { app, baseUrl, close } = await startEmulator({ scenario: join(folder, 'own.yaml'), settings })
const own = async (path, options = {}) => {
  const { statusCode, headers, body } = await app.inject({ url: `/_control${path}`, headers: { host: 'localhost', ...options.headers }, ...options })
  return [statusCode, headers['content-type'] ?? null, body.length > 0]
}
const shown = {
  metrics: await own('/metrics'),
  yaml: await own('/state?format=yaml'),
  console: await own('', { headers: { host: 'localhost', accept: 'text/html' } }),
  docs: await own('/docs/swagger-ui.css'),
  openapi: await own('/openapi.json'),
  snapshot: await own('/snapshots/one', { method: 'PUT' })
}
const headers = { authorization: `Basic ${Buffer.from('sk_test_merchant:').toString('base64')}` }
const scripted = (await fetch(`${baseUrl}/tickets/tkt_any`, { headers })).status
await close()

const refused = await startEmulator({ settings: { seed: 'x' } }).catch(error => [error instanceof ApiError, error.message])
const packages = readdirSync(join(dist, 'packages')).filter(file => require(join(dist, 'packages', file)))
process.stdout.write(JSON.stringify({ isCodeKept: script.cachedDataRejected === false, shown, scripted, refused, packages }))
