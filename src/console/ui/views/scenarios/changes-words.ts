/** What a sandbox has changed since its scenario was loaded, in words. */
import { RESOURCE_NAMES } from '../../../../reference/operations.js'
import { instantInWords } from '../../components/instant.js'
import type { Changes, Family } from '../../control/client.js'

/** `tab` is the part of the view that shows more of it. */
export type Change = { text: string; tab?: string | undefined }

export function changesInWords({ records, keys, clock, script: { added, removed, matched }, settings }: Changes): Change[] {
  const ofScript = [
    added.length > 0 && `${added.join(', ')} added`,
    removed.length > 0 && `${removed.join(', ')} removed`,
    matched > 0 && `requests matched ${matched === 1 ? 'once' : `${matched} times`}`
  ]
  const lines: readonly (readonly [title: string, words: string, tab?: string])[] = [
    ...Object.entries(RESOURCE_NAMES).map(([family, name]) => [`${name}s`, countsIn(records[family as Family])] as const),
    ['API keys', countsIn(keys)],
    ['Clock', clock.changed ? `it began ${beganInWords(clock.began)}` : '', 'clock'],
    ['Script', ofScript.filter(Boolean).join('; '), 'script'],
    ['Settings', settings.join(', '), 'settings']
  ]
  return lines.flatMap(([title, words, tab]) => (words === '' ? [] : [{ text: `${title}: ${words}`, tab }]))
}

const countsIn = (counts: Readonly<Record<string, number>> = {}): string =>
  Object.entries(counts)
    .flatMap(([kind, count]) => (count > 0 ? [`${count} ${kind}`] : []))
    .join(', ')

export const beganInWords = ({ now, running }: Changes['clock']['began']): string =>
  now === null ? 'as the machine’s' : `${running ? 'at' : 'frozen at'} ${instantInWords(now)}`
