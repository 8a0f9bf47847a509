/**
 * MSW's handlers for the document: each operation returns its example, a disabled operation
 * its refusal.
 */
import { readFileSync } from 'node:fs'
import { fromOpenApi } from '@mswjs/source/open-api'
import { setupServer } from 'msw/node'

const document = JSON.parse(readFileSync('openapi.json', 'utf8'))
const server = setupServer(...(await fromOpenApi(document)))
server.listen({ onUnhandledRequest: 'error' })
const [{ url }] = document.servers
for (const [path, methods] of Object.entries<
  Record<string, { responses: Record<string, unknown> }>
>(document.paths)) {
  for (const [method, { responses }] of Object.entries(methods)) {
    const response = await fetch(url + path.replaceAll(/\{\w+\}/g, 'any'), {
      method: method.toUpperCase()
    })
    const wanted = '501' in responses ? 501 : 200
    if (response.status !== wanted)
      throw new Error(`${method} ${path}: must be ${wanted}; got ${response.status}`)
    // an operation without a body returns 200, too
    if ('200' in responses && typeof (await response.json()).object !== 'string')
      throw new Error(`${method} ${path}: must be an example`)
  }
}
server.close()
console.log('session complete')
