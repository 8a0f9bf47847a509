/** docs/reference/control.md: the control API. */
import { CONTROL_GROUPS } from '../../src/control/requests.js'
import type { Row } from '../../src/control/row.js'
import { CONTROL } from '../../src/core/paths.js'
import { type Schema, schemaOf } from '../../src/reference/parameters.js'
import { code, page } from './markdown.js'

const INTRODUCTION = `Everything under \`/_control\` belongs to the emulator, not to the service: JSON in and out, no API key. Under \`/sandbox/NAME/_control\` it controls only that sandbox. Errors: [of the control API](errors.md#of-the-control-api). Who may use it: [security](../security.md). The same as OpenAPI 3.1: \`GET /_control/openapi.control.json\`.`

const shownName = (name: string) => {
  const [method, path] = name.split(' ') as [string, string]
  return `${method} ${CONTROL}${path === '/' ? '' : path}`
}

function section(name: string, { does, query, body }: Row): string {
  const parameters = Object.entries<Schema>((query && schemaOf(query).properties) ?? {})
  const taken = parameters.map(([name, { description }]) => `- \`?${name}\`: ${description}`)
  return [
    `### ${shownName(name)}`,
    does,
    ...(taken.length > 0 ? [taken.join('\n')] : []),
    ...(body ? [`Body: ${code(body.example)}`] : [])
  ].join('\n\n')
}

/** The page. */
export const controlPage = (): string =>
  page(
    'Control API',
    INTRODUCTION,
    ...CONTROL_GROUPS.flatMap(({ title, rows }) => [
      `## ${title}`,
      ...Object.entries(rows).map(([name, row]) => section(name, row))
    ])
  )
