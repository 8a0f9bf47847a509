import { compiled } from '../support/loader.mjs'

let planted

/** @type {import('node:module').InitializeHook<{ url: string, text: string }>} */
export function initialize(data) {
  planted = data
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  if (url.split('?')[0] !== planted.url) return nextLoad(url, context)
  return { format: 'module', source: compiled(planted.url, planted.text), shortCircuit: true }
}
