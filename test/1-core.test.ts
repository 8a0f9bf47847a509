import { runTogether } from './support/room.js'

await runTogether('core', 'reference', 'store', 'engine')
