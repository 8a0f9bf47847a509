import { runTogether } from './support/room.js'

await runTogether('api', 'contract')
