/** Foreign text on a terminal, and responses that `check --against` reads. */
import { writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { startUpText } from '../../src/cli/commands/start.js'
import { failureLines } from '../../src/cli/failures.js'
import { SAYS } from '../../src/cli/sentences.js'
import { ApiError } from '../../src/core/errors.js'
import { visible } from '../../src/core/sentences.js'
import { CHECK_FORMATS } from '../../src/reports/formats.js'
import { ran, serving } from '../support/command.js'
import { smallFixture } from '../support/emulator.js'

const ESCAPE = '\u001b'
/** Sequences that must not reach a terminal. */
const CONTROLS = /[^\P{Cc}\n]|[\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

t.test('control characters are made visible, and nothing else changes', async t => {
  const cases: [text: string, shown: string][] = [
    ['', ''],
    ['plain text, Ünïcode, 日本, 🙂 and \\n', 'plain text, Ünïcode, 日本, 🙂 and \\n'],
    [`${ESCAPE}[31mred${ESCAPE}]0;title\u0007`, '\\u001b[31mred\\u001b]0;title\\u0007'],
    ['a\nb\r\nc\td', 'a\\nb\\r\\nc\\td'],
    ['\u0000\u0008\u007f\u009b31m', '\\u0000\\u0008\\u007f\\u009b31m'],
    ['\u202egnp.exe\u2066x\u2069\u200f\u061c', '\\u202egnp.exe\\u2066x\\u2069\\u200f\\u061c'],
    ['a\u2028b\u2029', 'a\\u2028b\\u2029'],
    ['family: 👨\u200d👩\u200d👧', 'family: 👨\u200d👩\u200d👧']
  ]
  for (const [text, shown] of cases) t.equal(visible(text), shown)
})

t.test('reports, failures and the text at start show no control character of others', async t => {
  const evil = `x${ESCAPE}[2J\u202e\u009b\n✓ forged`
  const points = [
    {
      code: 'step',
      file: evil,
      message: evil,
      problems: [{ code: 'm', file: evil, path: evil, message: evil }],
      ms: 1
    }
  ]
  for (const [format, write] of Object.entries(CHECK_FORMATS)) {
    const text = write([{ file: evil, points, leftOut: null, notes: [evil] }])
    t.notMatch(text, CONTROLS, format)
    if (format !== 'junit') t.notMatch(text, /^\s*✓ forged/m, format)
  }
  const problems = [{ code: 'm', path: evil, message: `was 4242424242424242` }]
  t.strictSame(failureLines(new ApiError('document_invalid', { message: '', problems })), [
    'commerce-emulator: x\\u001b[2J\\u202e\\u009b\\n✓ forged: was ****************'
  ])
  t.strictSame(failureLines(Object.assign(new Error('m'), { stack: `one\ntwo${ESCAPE}` })), [
    'commerce-emulator: one',
    'two\\u001b'
  ])
  const emulator = {
    baseUrl: 'b',
    controlUrl: 'c',
    scenario: { name: evil, description: evil },
    apiKeys: [{ key: evil, account: 'mch_a' }],
    resumed: null
  }
  const facts = { requested: evil, data: evil, hasVars: true, records: 1 }
  t.equal(startUpText(emulator, facts).match(/✓ forged/g)?.length, 5)
  t.notMatch(startUpText({ ...emulator, resumed: evil, apiKeys: [] }, facts), CONTROLS)
})

t.test('check: a response that is too long or too slow', async t => {
  const folder = t.testdir()
  const file = `${folder}/one.json`
  await writeFile(
    file,
    JSON.stringify({
      data: smallFixture(),
      steps: [{ do: 'GET /tickets', expect: { body: { object: 'list' } } }]
    })
  )
  const received: unknown[] = []
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  const cases: [
    title: string,
    answer: RequestListener,
    args: string[],
    problem: string | RegExp
  ][] = [
    [
      'without end',
      (_q, a) => void setInterval(() => a.destroyed || a.write('x'.repeat(1_000_000)), 1).unref(),
      [],
      SAYS.too_long(16_777_216)
    ],
    [
      'compressed',
      (_q, a) => a.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(17_000_000))),
      [],
      SAYS.too_long(16_777_216)
    ],
    [
      'identity',
      (_q, a) => a.setHeader('content-encoding', 'Identity').end('{"object":"list"}'),
      [],
      /✓ 1\. GET/
    ],
    [
      'slow',
      (_q, a) => void a.writeHead(200).write('{'),
      ['--timeout', '100'],
      SAYS.timed_out(100)
    ],
    [
      'cut',
      (_q, a) => void a.writeHead(200, { 'content-length': 5 }).write('{', () => a.destroy()),
      [],
      SAYS.no_response('')
    ],
    [
      'controls',
      (_q, a) => a.writeHead(400).end(JSON.stringify({ error: { message: `${ESCAPE}[2J\u202e` } })),
      [],
      /got 400 \(\\u001b\[2J\\u202e\)/
    ],
    [
      'a key',
      (_q, a) =>
        a
          .writeHead(401)
          .end('{"error":{"message":"no key sk_live_secret, card 4242 4242 4242 4242"}}'),
      [],
      /\(no key \*\*\*, card \*{4} \*{4} \*{4} \*{4}\)/
    ],
    [
      'deep',
      (_q, a) => a.end(deep),
      [],
      /body: must be an object; got data that is nested too deeply to be shown/
    ],
    ['large', (_q, a) => a.end(JSON.stringify(['x'.repeat(100_000)])), [], /got \["x{298}…$/m],
    ['nothing', (_q, a) => a.end(), [], /body: must be an object; got null/],
    ['no content', (_q, a) => a.writeHead(204).end(), [], /body: must be an object; got null/]
  ]
  for (const [title, answer, args, problem] of cases) {
    const base = await serving(t, (request, response) => {
      received.push(request.headers['accept-encoding'])
      answer(request, response)
    })
    const { status, stdout, stderr } = await ran([
      'check',
      file,
      '--against',
      base,
      '--key',
      'sk_live_secret',
      ...args
    ])
    t.match(stdout + stderr, problem, title)
    t.equal(status, 1, `${title}: what is read differs in what a list has (LIST-1)`)
    t.notMatch(stdout + stderr, CONTROLS, title)
  }
  t.strictSame([...new Set(received)], ['identity'])
  for (const [flag, text] of [
    ['--timeout', '1e3'],
    ['--timeout', '0'],
    ['--timeout', '-1'],
    ['--timeout', '2147483648']
  ] as const) {
    const { status, stderr } = await ran(['check', file, '--against', 'http://x', flag, text])
    t.equal(status, 2)
    t.match(stderr, SAYS.whole(), `${flag} ${text}`)
  }
})
