/**
 * All browser tests in one browser, which takes longer to start than most tests. Each file also
 * runs alone.
 */
import './shell.js'
import './requests.js'
import './data.js'
import './scenario.js'
import './evidence.js'
import './jobs.js'
import './pictures.js'
