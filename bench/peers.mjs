/**
 * Peers that npm can install, on what they can do: a start, a record by id, a list of ten. They
 * answer with the Transactions of an emulator.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from './balancer.mjs'
import { KEY } from './calls.mjs'
import { writeDocument } from './files.mjs'
import { ask, request } from './load.mjs'
import { startServer } from './servers.mjs'

/** A route of Mockoon with a fixed answer. */
function cannedRoute(uuid, endpoint, body) {
  const response = {
    uuid: `${uuid}-200`,
    body: JSON.stringify(body),
    statusCode: 200,
    bodyType: 'INLINE',
    disableTemplating: true,
    default: true
  }
  const headers = [{ key: 'Content-Type', value: 'application/json' }]
  return {
    uuid,
    type: 'http',
    method: 'get',
    endpoint,
    responses: [{ ...response, headers, latency: 0, rules: [], rulesOperator: 'OR', callbacks: [] }]
  }
}

/**
 * For each peer its program in node_modules, and a function that returns its arguments and calls.
 */
const PEERS = {
  'json-server': {
    program: 'json-server/lib/cli/bin.js',
    prepare: page => {
      const db = writeDocument('json-server.json', { transactions: page.data })
      const list = request('GET /transactions?_sort=created&_order=desc&_limit=10')
      return {
        args: port => [db, '--quiet', '--port', `${port}`],
        calls: { get: () => request(`GET /transactions/${page.data[0].id}`), list: () => list }
      }
    }
  },
  mockoon: {
    program: '@mockoon/cli/bin/run.js',
    prepare: page => {
      const routes = [
        cannedRoute('get', 'transactions/:id', page.data[0]),
        cannedRoute('list', 'transactions', { ...page, data: page.data.slice(0, 10) })
      ]
      const rootChildren = routes.map(({ uuid }) => ({ type: 'route', uuid }))
      const environment = {
        uuid: 'bench',
        lastMigration: 33,
        name: 'bench',
        port: 3000,
        hostname: '',
        endpointPrefix: '',
        latency: 0,
        folders: [],
        routes,
        rootChildren
      }
      const file = writeDocument('mockoon.json', {
        ...environment,
        headers: [],
        data: [],
        callbacks: [],
        proxyMode: false,
        cors: false,
        tlsOptions: { enabled: false }
      })
      const args = port => [
        'start',
        '--data',
        file,
        '--port',
        `${port}`,
        '--disable-log-to-file',
        '--disable-admin-api'
      ]
      return {
        args,
        calls: {
          get: () => request('GET /transactions/txn_1'),
          list: () => request('GET /transactions?limit=10')
        }
      }
    }
  }
}

/** The peers that are installed in a folder, as targets. */
export async function peersIn(folder, { start }) {
  const { port, stop } = await start()
  const page = await ask(port, 'GET /next/transactions?limit=100', { headers: KEY })
  await stop()
  const present = Object.entries(PEERS).map(([name, { program, prepare }]) => ({
    name,
    path: join(folder, 'node_modules', program),
    ...prepare(page)
  }))
  return present
    .filter(({ path }) => existsSync(path))
    .map(({ name, path, args, calls }) => ({
      name,
      calls,
      isPeer: true,
      begin: async () => null,
      start: async ({ core } = {}) => {
        const port = await freePort()
        return startServer([process.execPath, path, ...args(port)], {
          core,
          port,
          stderr: 'ignore'
        })
      }
    }))
}
