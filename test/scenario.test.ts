import { runTogether } from './support/room.js'

await runTogether('scenario', 'scenario/match', 'scenario/expect', 'replay')
