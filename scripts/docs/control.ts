/** docs/reference/control.md: the control API. */
import { CONTROL_GROUPS } from '../../src/control/requests.js'
import type { Row } from '../../src/control/route.js'
import { CONTROL } from '../../src/core/paths.js'
import { type Schema, schemaOf } from '../../src/reference/parameters.js'
import { code, page, table } from './markdown.js'

const INTRODUCTION = `Everything under \`/_control\` belongs to the emulator, not to the service: JSON in and out, no API key. Under \`/sandbox/NAME/_control\` it controls only that sandbox. Errors: [of the control API](errors.md#of-the-control-api). Who may use it: [security](../security.md).`

const shownName = (name: string) => {
  const [method, path] = name.split(' ') as [string, string]
  return `${method} ${CONTROL}${path === '/' ? '' : path}`
}

function section(name: string, { does, query, body }: Row): string {
  const parameters = Object.entries<Schema>((query && schemaOf(query).properties) ?? {})
  return [
    `### ${shownName(name)}`,
    does,
    ...(parameters.length > 0
      ? [
          table(
            ['query', 'takes'],
            parameters.map(([name, { description = '' }]) => [code(name), description])
          )
        ]
      : []),
    ...(body ? [`Body, for example: ${code(body.example)}`] : [])
  ].join('\n\n')
}

/** The page. */
export const controlPage = (): string =>
  page(
    'Control API',
    INTRODUCTION,
    table(
      ['request', 'does'],
      CONTROL_GROUPS.flatMap(({ rows }) =>
        Object.entries(rows).map(([name, { does }]) => [code(shownName(name)), does])
      )
    ),
    ...CONTROL_GROUPS.flatMap(({ title, rows }) => [
      `## ${title}`,
      ...Object.entries(rows).map(([name, row]) => section(name, row))
    ])
  )
