import { readFileSync } from 'node:fs'
import t from 'tap'

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'))
type Locked = { dev?: boolean; hasInstallScript?: boolean }

t.test('npm ci --ignore-scripts and npm run build suffice: nothing that runs or builds the emulator needs a script at its installation', t => {
  const locked = Object.entries(read('package-lock.json').packages as Record<string, Locked>)
  const builds = /^node_modules\/(typescript$|tsx$|esbuild$|@esbuild\/|@types\/)/
  const needed = locked.filter(([path, { dev }]) => !dev || builds.test(path))

  t.ok(needed.length > 20, `${needed.length} packages`)
  t.strictSame(
    needed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path),
    ['node_modules/esbuild'],
    'its script replaces its command, which the build does not use'
  )
  const own = Object.keys(read('package.json').scripts)
  t.strictSame(
    own.filter(name => /^(pre|post)?(install|prepare)$/.test(name)),
    [],
    'nor has the package itself'
  )
  t.end()
})
