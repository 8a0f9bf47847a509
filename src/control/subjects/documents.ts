/** The documents that describe the emulator, and the files of its pages. */
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { controlOfBase } from '../../core/paths.js'
import { keep } from '../../core/remembered.js'
import { JSON_TYPE } from '../../engine/answers.js'
import { optional, parameters, word } from '../../reference/parameters.js'
import { PACKAGE_ROOT } from '../../scenario/library.js'
import { bindingsOf } from '../../scenario/steps.js'
import { noSuchPath, type Row, type Rows, row } from '../route.js'
import { format } from '../schemas.js'
import { sendYaml } from '../writing.js'

/** As the client knows it. */
const addressOf = ({ arrival: { base }, headers: { host } }: FastifyRequest) => ({
  origin: host === undefined ? '' : `http://${host}`,
  base
})

/** The texts that were made last, by what they were made with. */
const TEXTS = new Map<string, string>()
const MAX_TEXTS = 16

async function sendDocument<Of extends { format?: string | undefined }>(
  reply: FastifyReply,
  of: Of,
  make: () => Promise<object>
) {
  const isYaml = of.format === 'yaml'
  const key = JSON.stringify(of)
  let text = TEXTS.get(key)
  if (text === undefined) {
    const document = await make()
    text = isYaml
      ? (await import('../../scenario/yaml.js')).yamlText(document)
      : JSON.stringify(document)
  }
  keep(TEXTS, key, text, MAX_TEXTS)
  return isYaml ? sendYaml(reply, text) : reply.type(JSON_TYPE).send(text)
}

const schemaRow = (kind: 'fixture' | 'scenario' | 'script', of: string): Row => ({
  does: `Returns the JSON Schema of ${of}, for editors.`,
  query: null,
  run: ({ reply }) =>
    reply.type(JSON_TYPE).send(createReadStream(`${PACKAGE_ROOT}/docs/schema/${kind}.json`))
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
    run: async ({ request, reply, sandbox: { settings }, version, query: { style, format } }) => {
      const options = { ...addressOf(request), version, settings, isFlat: style === 'flat' }
      return sendDocument(reply, { ...options, format }, async () =>
        (await import('../openapi/api.js')).openApiDocument(options)
      )
    }
  }),
  'GET /openapi.control.json': row({
    does: 'Returns the control API as OpenAPI 3.1.',
    query: parameters(format(['json', 'yaml'])),
    run: async ({ request, reply, version, query: { format } }) => {
      const { origin, base } = addressOf(request)
      return sendDocument(reply, { origin, base, format }, async () => {
        const file = await readFile(`${PACKAGE_ROOT}/docs/openapi.control.json`, 'utf8')
        const document = JSON.parse(file)
        document.info.version = version
        document.servers[0].url = `${origin}${controlOfBase(base)}`
        return document
      })
    }
  }),
  'GET /docs': {
    does: 'Returns a page on which to read about the emulated API and try it.',
    page: true,
    run: ({ request, reply, sandbox, pages }) =>
      // the key is in the page and not in a script, which a page of another origin could run
      pages.docs(reply, {
        control: controlOfBase(request.arrival.base),
        key: bindingsOf(sandbox.store).key('') ?? ''
      })
  },
  'GET /schema/fixture.json': schemaRow('fixture', 'fixtures'),
  'GET /schema/scenario.json': schemaRow('scenario', 'scenarios'),
  'GET /schema/script.json': schemaRow('script', 'files of shared script entries')
}

/** Files of the pages; they are not documented. */
export const FILE_ROWS: Rows = {
  'GET /console/FILE': { ...fileRow('console'), open: true },
  'GET /docs/FILE': fileRow('docs')
}
