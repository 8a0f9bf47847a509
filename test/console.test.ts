import { runTogether } from './support/room.js'

await runTogether('console', 'client')
