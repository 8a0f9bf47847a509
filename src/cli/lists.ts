/** The commands that list what there is, a line each. */
import { SETTINGS, settingsInForce } from '../core/settings.js'
import { visible } from '../core/visible.js'
import { ASSUMPTIONS } from '../reference/assumptions.js'
import { RULES } from '../reference/rules.js'
import { Library } from '../scenario/library.js'
import type { Launch } from '../scenario/scenario.js'

type Line = readonly [name: string, text: string]

const LISTS: Readonly<
  Record<
    'scenarios' | 'rules' | 'assumptions' | 'settings',
    (launch: Launch) => Line[] | Promise<Line[]>
  >
> = {
  scenarios: async launch => {
    const listed = await Library.by(settingsInForce(launch).values).list()
    return listed.map(({ name, title, description }) => [name, description ?? title ?? ''])
  },
  rules: () => Object.entries(RULES).map(([id, { text }]) => [id, text]),
  assumptions: () =>
    Object.entries(ASSUMPTIONS).map(([id, { topic, default: said }]) => [id, `${topic}: ${said}`]),
  settings: () =>
    Object.entries(SETTINGS).map(([key, { default: fallback, about }]) => [
      key,
      `${about} (default: ${JSON.stringify(fallback)})`
    ])
}

export async function listText(name: keyof typeof LISTS, launch: Launch): Promise<string> {
  const lines = await LISTS[name](launch)
  const width = Math.max(...lines.map(([name]) => name.length))
  return lines
    .map(([name, text]) => `${visible(`${name.padEnd(width)}  ${text}`).trimEnd()}\n`)
    .join('')
}
