const PLAIN = /^[A-Za-z_](?:[\w ./{}$+-]*[\w/}])?$/
const WORDS = /^(?:true|false|null|yes|no|on|off|y|n|nan|inf)$/i
const STEP = '  '

const isPlain = (text: string) => PLAIN.test(text) && !WORDS.test(text)
/** YAML 1.2 reads `on` as text. */
const nameOf = (name: string): string =>
  isPlain(name) || name === 'on' ? name : JSON.stringify(name)
const membersOf = (value: unknown): [string, unknown][] =>
  Object.entries(Object(value)).filter(([, member]) => member !== undefined)

export const yamlOf = (value: unknown): string => `${linesOf(value).join('\n')}\n`

function linesOf(value: unknown): string[] {
  if (typeof value === 'string' && isPlain(value)) return [value]
  if (typeof value === 'string' || membersOf(value).length === 0)
    return [JSON.stringify(value ?? null)]
  if (Array.isArray(value))
    return value.flatMap(member =>
      linesOf(member).map((line, place) => `${place === 0 ? '- ' : STEP}${line}`)
    )
  return membersOf(value).flatMap(([name, member]) => {
    const lines = linesOf(member)
    const isBlock = typeof member === 'object' && membersOf(member).length > 0
    return isBlock
      ? [`${nameOf(name)}:`, ...lines.map(line => STEP + line)]
      : [`${nameOf(name)}: ${lines[0]}`]
  })
}
