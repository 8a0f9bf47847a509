/** docs/reference/control.md: the control API. */
import { CONTROL_GROUPS, type ControlCall } from '../../src/control/calls.js'
import { CONTROL } from '../../src/core/paths.js'
import { code, page, table } from './markdown.js'

const INTRODUCTION = `Everything under \`/_control\` belongs to the emulator, not to the service: JSON in and out, no API key. Under \`/sandbox/NAME/_control\` it concerns that sandbox alone. Errors: [of the control API](errors.md#of-the-control-api). Who may call it: [security](../security.md).`

const callName = (name: string) => {
  const [method, path] = name.split(' ') as [string, string]
  return `${method} ${CONTROL}${path === '/' ? '' : path}`
}

function section(name: string, { does, query, body }: ControlCall): string {
  return [
    `### ${callName(name)}`,
    does,
    ...(query
      ? [
          table(
            ['query', 'takes'],
            Object.entries(query).map(([name, takes]) => [code(name), takes])
          )
        ]
      : []),
    ...(body ? [`Body, for example: ${code(body)}`] : [])
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
