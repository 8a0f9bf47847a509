/**
 * The console in one browser, which takes longer to start than most of its tests. Each file of a
 * view can be run by itself.
 */
import './shell.js'
import './requests.js'
import './data.js'
import './scenario.js'
import './evidence.js'
import './jobs.js'
import './pictures.js'
