// Loads the source that PLANTED names with the text that it gives, in worker threads too.
// Registered after the loader that compiles, so that it is asked first.
import { register } from 'node:module'

register('./planted-source.mjs', import.meta.url, { data: JSON.parse(process.env.PLANTED) })
