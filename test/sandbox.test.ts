import { runTogether } from './support/room.js'

await runTogether('sandbox', 'work')
