// Puts the text of a source into the source map that tsx makes of it, where it is null: without it coverage sees no line of the file, and all of it counts as covered.
import { readFileSync } from 'node:fs'

const MAP = /\/\/# sourceMappingURL=data:application\/json;(?:charset=utf-8;)?base64,([\w+/=]+)\s*$/

// What tsx appends to each `import()`; no module of ours takes its other branch. Spaces in its place leave every position as it was.
const APPENDED = /\.then\(s=>\{const e="default";return[^}]*\}\)/g

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context)
  if (!/\/src\/.*\.ts(\?|$)/.test(url) || loaded.source == null) return loaded
  const text = String(typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source))
  const [comment, encoded] = MAP.exec(text) ?? []
  if (encoded === undefined) throw new Error(`${url} has no source map`)
  const map = JSON.parse(Buffer.from(encoded, 'base64').toString())
  map.sourcesContent = [readFileSync(new URL(url), 'utf8')]
  const whole = Buffer.from(JSON.stringify(map)).toString('base64')
  return {
    ...loaded,
    source: text.replace(APPENDED, added => ' '.repeat(added.length)).replace(comment, () => `//# sourceMappingURL=data:application/json;base64,${whole}`)
  }
}
