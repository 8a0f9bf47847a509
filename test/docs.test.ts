import { runTogether } from './support/room.js'

await runTogether('docs', 'deploy', 'examples')
