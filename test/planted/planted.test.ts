/**
 * One defect of each kind, each caught by a test file, and changes without effect; `npm run
 * test:planted` plants all of them.
 */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { defectsIn, ROOT } from './defects.js'
import { JUDGES } from './judges.js'
import { caughtBy, inLanes } from './planting.js'

/** The source, its judge, and the defect. */
const PLANTED = [
  ['src/core/rules.ts', 'test/core/rules.test.ts', 'remaining > 0 → remaining >= 0'],
  [
    'src/evidence/lost.ts',
    'test/evidence/lost.test.ts',
    'lost.about !== about → lost.about === about'
  ],
  [
    'src/evidence/mistakes.ts',
    'test/evidence/findings.test.ts',
    'holdsCardNumber(String(headers[name])) → !holdsCardNumber(String(headers[name]))'
  ],
  ['src/evidence/judgement.ts', 'test/evidence/why.test.ts', 'true → false'],
  ['src/scenario/match/conditions.ts', 'test/scenario/script.test.ts', 'value > bound → true']
] as const
const defects = defectsIn(PLANTED.map(([file]) => file))

t.test('planted: a defect of each kind is caught', async t => {
  await inLanes(PLANTED, async ([file, test, what]) => {
    const [defect] = defects.filter(defect => defect.file === file && defect.what === what)
    t.ok(JUDGES[file]?.includes(test), `${test} judges ${file}`)
    t.equal(defect && (await caughtBy(defect, [test])), test, `${file}: ${what}`)
  })
})

t.test('planted: a change that is no defect is not caught', async t => {
  const [file, test] = PLANTED[0]
  t.equal(
    await caughtBy({ file, text: `// nothing\n${readFileSync(ROOT + file, 'utf8')}` }, [test]),
    null
  )
})
