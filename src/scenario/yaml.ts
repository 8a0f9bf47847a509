/** Documents written as YAML. */
import { Document, isCollection, isPair, stringify } from 'yaml'

export const yamlText = (data: unknown): string =>
  stringify(data, { lineWidth: 0, aliasDuplicateObjects: false })

/** What has a line of its own, so many levels below. */
const LINES = { data: 2, expect: 1, play: 2, script: 2 }

export function scenarioText(data: Record<string, unknown>, comments: readonly string[]): string {
  const document = new Document(data, { aliasDuplicateObjects: false })
  const putOnLines = (node: unknown, levels: number): void => {
    if (!isCollection(node)) return
    if (levels === 0) node.flow = true
    else for (const item of node.items) putOnLines(isPair(item) ? item.value : item, levels - 1)
  }
  for (const [name, levels] of Object.entries(LINES)) putOnLines(document.get(name), levels)
  return `${comments.map(comment => `# ${comment}\n`).join('')}${document.toString({ lineWidth: 0 })}`
}
