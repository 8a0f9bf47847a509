// Compiles TypeScript as it is loaded, in worker threads too.
import { register } from 'tsx/esm/api'

register()
