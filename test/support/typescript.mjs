// Compiles TypeScript as it is loaded, in worker threads too.
import { register } from 'node:module'
import processOnSpawn from 'process-on-spawn'
import { register as registerTsx } from 'tsx/esm/api'

registerTsx()
register('./packages.mjs', import.meta.url)
if (process.env._TAPJS_PROCESSINFO_COVERAGE_ === '1') register('./map-sources.mjs', import.meta.url)

// tap puts its loader into the NODE_OPTIONS of every child. One that runs the source has it from `process.execArgv`; the others have nothing to cover, and start in half the time without it.
processOnSpawn.addListener(child => {
  const { NODE_OPTIONS = '', ...environment } = child.env
  const options = NODE_OPTIONS.replace(/"?--import=\S*\/@tapjs\/processinfo\/\S*/, '').trim()
  child.env = { ...environment, ...(options && { NODE_OPTIONS: options }) }
})
