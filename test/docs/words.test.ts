/** Unnatural phrases stay out of the pages and of the texts in src/. */
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { PAGES } from './pages.js'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const filesIn = (folder: string, ending: RegExp) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }).flatMap(file =>
    ending.test(file) ? `${folder}/${file.replaceAll('\\', '/')}` : []
  )

/** Each phrase, and what to write instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  'text was expected': 'must not be empty',
  'a member was expected': 'must have at least one item',
  'was expected, not': 'must be X; got Y',
  'white space alone is no value': 'must not be blank',
  'is no operation': 'is not an operation',
  'it was given twice': 'sent more than once; send it once',
  'not as long as its Content-Length says': 'the length does not match Content-Length',
  'there are as many as': 'limits.X is reached',
  'is of no type': 'no Content-Type was sent',
  'closes nothing': 'has no opening bracket',
  'a file holds one': 'only one document a file',
  'fits no line above it': 'is not indented like any line above',
  'is from the future': "is later than the scenario's clock",
  'matches only once a call': 'matches only after a request has created it',
  'is used already': 'is listed twice',
  'did not come after': 'came out of order',
  'it met no operation': 'no operation matched',
  'no call came': 'the emulator received no requests',
  'exclude each other': 'cannot be combined',
  'no answer was compared': 'not written: there was nothing to compare',
  'there is a file to check': 'file exists',
  'write the parts out': 'expand the aliases',
  'the scenario anew': 'reloads the scenario',
  'looked in before': 'searched before',
  'ids and keys are drawn from': 'seed for generated ids and keys',
  'most members of': 'maximum number of',
  'would be answered': 'how the emulator would respond',
  'not meant so': 'likely mistakes',
  'the part that is looked at': 'the current part',
  'none twice': 'deduplicated',
  'one behind the other': 'in order',
  '! no finding': 'FAILED: the run must not cause the finding X',
  'known are:': 'available:',
  'what replaces them follows': 'the replacement is shown below',
  'whatever a client can': 'everything a client controls has a limit',
  'calculate with': 'budget',
  'by nature': 'inherent',
  'author of tests': 'for test authors',
  gravest: 'most severe',
  'by its own words': 'what it says',
  'a dict in a dict': 'a nested dict',
  'came true': 'held',
  'put to the test': 'exercised',
  'is not a look': 'does not count as reading',
  'what means nothing': 'unknown terms',
  'rest on': 'are based on',
  'stand still': 'is frozen',
  'over restarts': 'across restarts',
  'refuses the start': 'the emulator does not start',
  'while the first one lives': 'while the first is running',
  'three runs of three': 'all three runs',
  'a field more': 'an extra field',
  'one process more': 'one more process',
  'misses nothing': 'is complete',
  'leaves it at that': 'does not retry',
  'both keep and break': 'pass and violate',
  'met an operation': 'for an operation',
  'a right key': 'a valid key',
  'a wrong key': 'an invalid key',
  'to go on from': 'at which to continue',
  'wait for as many again': 'form the next group',
  'is meant as another': 'a second one',
  'after a look': 'after a GET had shown it',
  'what became of it': 'its outcome',
  'this went out': 'this was sent',
  'was to be next': 'must be X; got Y',
  'was expected next': 'must be X; got Y',
  'the response before it': 'the previous response',
  'has another meaning': 'is reserved',
  'is never about': 'does not refer to',
  'corrupted on the way': 'altered in transit',
  'without a usable value': 'has no value',
  'the parameter to blame': 'the parameter that is wrong',
  'every one must': 'each must',
  'there must be no such': 'must not exist',
  'one a line': 'one per line',
  'the first state of the loaded': 'the initial state',
  'on an emulator of its own': 'on a separate emulator',
  'throws away': 'discards',
  'thrown away': 'discarded',
  'a surplus field': 'an extra field',
  'looked up beside': 'next to',
  'compared with the others': 'relative to',
  'drawn from a counter of its own': 'from a separate counter'
}

/** A phrase as a pattern, which a line may break and a comment continue. */
const patternOf = (phrase: string) =>
  new RegExp(
    `(?<!\\w)${phrase
      .replaceAll(/[.!*+?]/g, '\\$&')
      .split(' ')
      .join('[\\s*/]+')}(?!\\w)`,
    'gi'
  )

const found = (file: string, text: string) =>
  Object.entries(INSTEAD).flatMap(([phrase, better]) =>
    [...text.matchAll(patternOf(phrase))].map(
      ({ index }) => `${file}:${text.slice(0, index).split('\n').length} "${phrase}": ${better}`
    )
  )

t.test('words: a phrase is found in any case and across lines, and no near miss', async t => {
  t.strictSame(found('a.ts', '/**\n * Ids are\n * Deduplicated, None\n * twice. */'), [
    'a.ts:3 "none twice": deduplicated'
  ])
  t.strictSame(found('a.md', 'stands stilly; the rest only'), [])
})

t.test('words: pages and sources say it as a colleague would', async t => {
  const pages = [...PAGES, 'CHANGELOG.md', ...filesIn('docs/reference', /\.md$/)]
  const files = [...pages, ...filesIn('src', /\.tsx?$/)]
  t.ok(files.length > 300)
  t.strictSame(
    files.flatMap(file => found(file, read(file))),
    []
  )
})
