// Registered by plant.mjs before the loaders that compile: they ask it for the text of a source.
let planted

/** @type {import('node:module').InitializeHook<{ url: string, text: string }>} */
export function initialize(data) {
  planted = data
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context)
  return url.split('?')[0] === planted.url ? { ...loaded, source: planted.text } : loaded
}
