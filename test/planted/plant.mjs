// Loads the source that PLANTED names with the text that it gives, in worker threads too.
import { register } from 'node:module'

register('./planted-source.mjs', import.meta.url, { data: JSON.parse(process.env.PLANTED) })
