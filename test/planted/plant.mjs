// Loads the source that PLANTED names with the text that it gives, in worker threads too.
// Registered after the compiling loader, so that it comes first.
import { register } from 'node:module'

register('./planted-source.mjs', import.meta.url, { data: JSON.parse(process.env.PLANTED) })
