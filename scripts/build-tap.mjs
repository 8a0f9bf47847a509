// Builds tap without the plugins that package.json leaves out, unless it is built so: tap does it
// by itself, but starts the tests of that first run with their loaders.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const { plugin } = require('../package.json').tap
const [, built] = /\bsignature = `([^`]*)`/.exec(
  readFileSync(require.resolve('@tapjs/test/test-built'), 'utf8')
)
if (plugin.some(name => built.split('\n').includes(name.replace('!', ''))))
  execFileSync('tap', ['build'], { stdio: 'inherit' })
