/** The documents that describe the emulator, and the files of its pages. */
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { FastifyRequest } from 'fastify'
import { controlOfBase } from '../../core/paths.js'
import { optional, parameters, word } from '../../reference/parameters.js'
import { PACKAGE_ROOT } from '../../scenario/library.js'
import { bindingsOf } from '../../scenario/steps.js'
import { noSuchPath, type Row, type Rows, row } from '../route.js'
import { format } from '../schemas.js'

/** As the client knows it. */
const addressOf = ({ arrival: { base }, headers: { host } }: FastifyRequest) => ({
  origin: host === undefined ? '' : `http://${host}`,
  base
})

const inFormat = async (document: object, format?: string) =>
  format === 'yaml' ? (await import('../../scenario/yaml.js')).yamlText(document) : document

const schemaRow = (kind: 'fixture' | 'scenario' | 'script', of: string): Row => ({
  does: `Returns the JSON Schema of ${of}, for editors.`,
  run: () => createReadStream(`${PACKAGE_ROOT}/docs/schema/${kind}.json`)
})

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
    query: parameters({
      style: optional(
        word(['nested', 'flat'], {
          description:
            '`nested`, the default, or `flat`, which writes nested parameters in brackets, for generators that do not support `deepObject`.'
        })
      ),
      ...format(['json', 'yaml'])
    }),
    run: async ({ request, sandbox: { settings }, version, query: { style, format } }) => {
      const { openApiDocument } = await import('../openapi/api.js')
      const options = { ...addressOf(request), version, settings, isFlat: style === 'flat' }
      return inFormat(openApiDocument(options), format)
    }
  }),
  'GET /openapi.control.json': row({
    does: 'Returns the control API as OpenAPI 3.1.',
    query: parameters(format(['json', 'yaml'])),
    run: async ({ request, version, query: { format } }) => {
      const { origin, base } = addressOf(request)
      const file = await readFile(`${PACKAGE_ROOT}/docs/openapi.control.json`, 'utf8')
      const document = JSON.parse(file)
      document.info.version = version
      document.servers[0].url = `${origin}${controlOfBase(base)}`
      return inFormat(document, format)
    }
  }),
  'GET /docs': {
    does: 'Returns a page on which to read about the emulated API and try it.',
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
  'GET /console/FILE': { ...fileRow('console'), open: true },
  'GET /docs/FILE': fileRow('docs')
}
