// Compiles TypeScript as it is loaded, in worker threads too.
import { register } from 'node:module'
import { register as registerTsx } from 'tsx/esm/api'

registerTsx()
if (process.env._TAPJS_PROCESSINFO_COVERAGE_ === '1') register('./map-sources.mjs', import.meta.url)
