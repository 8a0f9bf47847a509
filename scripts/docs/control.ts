/** docs/reference/control.md: the control API. */
import type { Call } from '../../src/control/call.js'
import { CONTROL_GROUPS } from '../../src/control/calls.js'
import { CONTROL } from '../../src/core/paths.js'
import { type Schema, schemaOf } from '../../src/reference/parameters.js'
import { code, page, table } from './markdown.js'

const INTRODUCTION = `Everything under \`/_control\` belongs to the emulator, not to the service: JSON in and out, no API key. Under \`/sandbox/NAME/_control\` it concerns that sandbox alone. Errors: [of the control API](errors.md#of-the-control-api). Who may call it: [security](../security.md).`

const callName = (name: string) => {
  const [method, path] = name.split(' ') as [string, string]
  return `${method} ${CONTROL}${path === '/' ? '' : path}`
}

function section(name: string, { does, query, body }: Call): string {
  const parameters = Object.entries<Schema>((query && schemaOf(query).properties) ?? {})
  return [
    `### ${callName(name)}`,
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
      ['call', 'does'],
      CONTROL_GROUPS.flatMap(({ calls }) => Object.entries(calls).map(([name, { does }]) => [code(callName(name)), does]))
    ),
    ...CONTROL_GROUPS.flatMap(({ title, calls }) => [`## ${title}`, ...Object.entries(calls).map(([name, call]) => section(name, call))])
  )
