/** The code that the documents show runs as it stands. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const environment = { ...process.env, COMMERCE_URL: '', _TAPJS_PROCESSINFO_COVERAGE_: '0' }

t.test('api: all code of the README and docs/in-process.md runs unchanged', async t => {
  for (const [file, count] of [
    ['README.md', 1],
    ['docs/in-process.md', 2]
  ] as const) {
    const pieces = [
      ...readFileSync(`${ROOT}${file}`, 'utf8').matchAll(/^```ts\n([\s\S]*?)^```/gm)
    ].map(([, code]) => code as string)
    t.equal(pieces.length, count, file)
    const folder = t.testdir(
      Object.fromEntries(pieces.map((code, index) => [`${index}.mts`, code]))
    )
    for (const index of pieces.keys()) {
      const args = [
        `--import=${new URL('../support/typescript.mjs', import.meta.url)}`,
        `${folder}/${index}.mts`
      ]
      const { status, stdout, stderr } = spawnSync(process.execPath, args, {
        env: environment,
        encoding: 'utf8'
      })
      t.equal(status, 0, `${file}, ${index + 1}: ${stdout}${stderr}`)
    }
  }
})
