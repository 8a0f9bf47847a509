// Compiles TypeScript as it is loaded, in worker threads too.
import { register } from 'node:module'
import processOnSpawn from 'process-on-spawn'

process.setSourceMapsEnabled(true)
register('./loader.mjs', import.meta.url)

// tap puts its loader into the NODE_OPTIONS of every child. A child that runs the source has it from
// `process.execArgv`; the others need no coverage, and start twice as fast without it.
processOnSpawn.addListener(child => {
  const { NODE_OPTIONS = '', ...environment } = child.env
  const options = NODE_OPTIONS.replace(/"?--import=\S*\/@tapjs\/processinfo\/\S*/, '').trim()
  child.env = { ...environment, ...(options && { NODE_OPTIONS: options }) }
})
