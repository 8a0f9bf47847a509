/**
 * What is wrong with the version of Node.js, or null; known before anything is loaded that an older
 * one cannot read.
 */
const { engines } = require('../package.json')

const [major, minor] = engines.node.match(/\d+/g).map(Number)
const [ownMajor, ownMinor] = process.versions.node.split('.').map(Number)
const isTooOld = ownMajor < major || (ownMajor === major && ownMinor < minor)
const advice = 'Install a newer one, or run the Docker image.'

exports.problem = isTooOld
  ? `commerce-emulator: Node.js must be ${major}.${minor} or newer; got ${process.versions.node}. ${advice}`
  : null
