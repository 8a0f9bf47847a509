/** The documents that describe the emulator, and the files of its pages. */
import { createReadStream } from 'node:fs'
import { controlOfBase } from '../../core/paths.js'
import { parameters } from '../../reference/parameters.js'
import { PACKAGE_ROOT } from '../../scenario/library.js'
import { bindingsOf } from '../../scenario/steps.js'
import { noSuchPath } from '../route.js'
import { type Row, type Rows, row } from '../row.js'
import { format } from '../schemas.js'

/** A document of the package. */
const documentRow = (of: string, name: string): Row => ({
  does: `Returns ${of}.`,
  run: () => createReadStream(`${PACKAGE_ROOT}/docs/${name}.json`)
})
const schemaRow = (kind: 'fixture' | 'scenario' | 'script', of: string): Row =>
  documentRow(`the JSON Schema of ${of}, for editors`, `schema/${kind}`)

const fileRow = (page: 'console' | 'docs'): Row => ({
  does: '',
  query: null,
  run: async ({ name, pages, request, reply }) => {
    if (!(await pages.file(reply, page, name))) throw noSuchPath(request)
  }
})

export const DOCUMENT_ROWS: Rows = {
  'GET /openapi.json': row({
    does: 'Returns the emulated API as OpenAPI 3.1.',
    query: parameters(format(['json', 'yaml'])),
    run: async ({ request, sandbox: { settings }, version, query: { format } }) => {
      const { openApiDocument } = await import('../openapi/api.js')
      const { arrival, headers } = request
      // as the client knows it
      const origin = headers.host === undefined ? '' : `http://${headers.host}`
      const document = openApiDocument({ origin, base: arrival.base, version, settings })
      if (format !== 'yaml') return document
      return (await import('../../scenario/yaml.js')).yamlText(document)
    }
  }),
  'GET /openapi.control.json': documentRow('the control API as OpenAPI 3.1', 'openapi.control'),
  'GET /docs': {
    does: 'Returns a page with the documentation of the emulated API.',
    page: true,
    run: ({ request, reply, sandbox, pages }) =>
      // in the page, since a page of another origin could run a script with the key
      pages.docs(reply, {
        control: controlOfBase(request.arrival.base),
        key: bindingsOf(sandbox.store).key('') ?? ''
      })
  },
  'GET /schema/fixture.json': schemaRow('fixture', 'fixtures'),
  'GET /schema/scenario.json': schemaRow('scenario', 'scenarios'),
  'GET /schema/script.json': schemaRow('script', 'files of shared script entries')
}

/** Files of the pages, which are not documented. */
export const FILE_ROWS: Rows = {
  'GET /console/FILE': fileRow('console'),
  'GET /docs/FILE': fileRow('docs')
}
