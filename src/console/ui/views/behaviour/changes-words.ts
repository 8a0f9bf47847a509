/** What a sandbox has changed since its scenario was loaded, in words. */
import { RESOURCE_NAMES } from '../../../../reference/operations.js'
import { instantInWords } from '../../components/instant.js'
import type { Changes, Family } from '../../control/answers.js'

/** `tab` is the part of the view that shows more of it. */
export type Change = { text: string; tab?: string }

/** A line for each kind of change; none where nothing differs from the first state. */
export function changesInWords({ records, keys, clock, script, settings }: Changes): Change[] {
  const lines: Change[] = []
  for (const family of Object.keys(RESOURCE_NAMES) as Family[]) {
    const parts = countsIn(records[family])
    if (parts.length > 0) lines.push({ text: `${RESOURCE_NAMES[family]}s: ${parts.join(', ')}` })
  }
  const ofKeys = countsIn(keys)
  if (ofKeys.length > 0) lines.push({ text: `API keys: ${ofKeys.join(', ')}` })
  if (clock.changed) lines.push({ text: `Clock: it began ${beganInWords(clock.began)}`, tab: 'clock' })
  const ofScript = [
    ...(script.added.length > 0 ? [`${script.added.join(', ')} added`] : []),
    ...(script.removed.length > 0 ? [`${script.removed.join(', ')} removed`] : []),
    ...(script.matched > 0 ? [`calls matched ${script.matched === 1 ? 'once' : `${script.matched} times`}`] : [])
  ]
  if (ofScript.length > 0) lines.push({ text: `Script: ${ofScript.join('; ')}`, tab: 'script' })
  if (settings.length > 0) lines.push({ text: `Settings: ${settings.join(', ')}`, tab: 'settings' })
  return lines
}

const countsIn = (counts: Readonly<Record<string, number>> = {}): string[] =>
  ['added', 'changed', 'deleted'].flatMap(kind => (counts[kind] ? [`${counts[kind]} ${kind}`] : []))

/** How the clock of a scenario begins. */
export function beganInWords({ now, running }: Changes['clock']['began']): string {
  if (now === null) return 'as the machine’s'
  return `${running ? 'at' : 'frozen at'} ${instantInWords(now)}`
}
