import { constants } from 'node:buffer'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { DISK, type FileSystem, replaceFile, syncFolder } from '../../src/sandbox/disk.js'
import { amendmentLine, lineOf, linesRead, wholeLines } from '../../src/sandbox/lines.js'
import { SAYS } from '../../src/sandbox/sentences.js'
import type { Json } from '../support/json.js'
import { placeOf } from '../support/places.js'
import { recordedDisk } from '../support/recorded-disk.js'
import { fileText } from '../support/saved-lines.js'

const STATE = { settings: {}, counters: {}, clock: { at: null, running: true }, script: [] }
const [U1, U2] = [{ id: 'u1' }, { id: 'u2' }]
const FIRST = {
  scenario: { name: 'x', description: null },
  expectations: [],
  ...STATE,
  records: { api_keys: [], users: [U1, U2] }
}
const DATA = {
  first_states: [FIRST],
  sandboxes: [{ name: null, from: 0, requests: 0, ...STATE, records: { api_keys: [] } }],
  start: 0
}
const WHOLE = fileText(DATA)
const seedLine = (seed: number, ...more: object[]) =>
  amendmentLine(
    [{ sandbox: null, requests: seed, settings: { seed } }, ...more].map(amendment =>
      JSON.stringify(amendment)
    )
  )
const CHANGED = Buffer.from(
  WHOLE +
    seedLine(1, { sandbox: null, family: 'users', records: [{ id: 'u3', name: 'é€😀' }] }) +
    seedLine(2)
)
const read = async (...texts: (string | Buffer)[]) =>
  linesRead(texts.map(text => Buffer.from(text)))
const seedIn = async (text: string) => ((await read(text)).data.sandboxes as Json)[0].settings.seed

t.test('lines: a file holds what was written, however its bytes come', async t => {
  const { data, torn } = await read(...WHOLE)

  t.strictSame(JSON.parse(JSON.stringify(data)), {
    ...DATA,
    first_states: [{ ...FIRST, deleted: { users: [] } }],
    sandboxes: [{ ...DATA.sandboxes[0], deleted: {} }]
  })
  t.equal(torn, null)

  const changed = await read(CHANGED)
  for (const size of [1, 2, 3, 7, 64]) {
    const chunks = Array.from({ length: Math.ceil(CHANGED.length / size) }, (_, nth) =>
      CHANGED.subarray(nth * size, (nth + 1) * size)
    )
    t.strictSame((await read(...chunks)).data, changed.data, `${size} bytes`)
  }
})

t.test('lines: parts are replaced, records put in their places', async t => {
  const deleted = { at: 0, owners: ['mch_a'] }
  const records = {
    sandbox: null,
    family: 'users',
    records: [{ id: 'u2', deleted }, { id: 'u1', name: 'new' }, { id: 'u3' }]
  }
  const { data } = await read(WHOLE, seedLine(1), seedLine(2, records))
  const changed = {
    requests: 2,
    settings: { seed: 2 },
    records: { users: [{ id: 'u1', name: 'new' }, { id: 'u3' }], api_keys: [] }
  }
  t.strictSame(data.sandboxes as unknown, [
    { ...DATA.sandboxes[0], ...changed, deleted: { users: [{ id: 'u2', ...deleted, after: 1 }] } }
  ])
  const all = [{ all: true }, { records: [U2] }].map(one => ({
    sandbox: null,
    family: 'users',
    ...one
  }))
  const ended = { sandbox: 'two', ended: true }
  const later = await read(
    WHOLE,
    seedLine(1, { sandbox: 'two', from: 0 }, ...all),
    seedLine(2, { sandbox: null, from: 0 }, ended, { start: 7 })
  )
  const [anew, ...others] = later.data.sandboxes
  t.strictSame([later.data.start, anew?.name, others], [7, null, []])
  t.strictSame([anew?.settings, anew?.records.users], [undefined, undefined])
})

const damagedAt = (line: number) => new Error(SAYS.damaged(line))

t.test('lines: a last one that is torn is left out, also with zeros in it', async t => {
  const [first, second] = [seedLine(1), seedLine(2)]
  const line = WHOLE.split('\n').length + 1
  for (let cut = 1; cut < second.length - 1; cut++) {
    const rest = second.length - cut
    for (const torn of [
      second.slice(0, cut),
      second.slice(0, cut) + '\0'.repeat(rest),
      '\0'.repeat(rest) + second.slice(rest)
    ]) {
      const { data, torn: told } = await read(WHOLE + first + torn)
      t.strictSame(
        [data.sandboxes[0]?.settings, told],
        [{ seed: 1 }, { line, bytes: torn.length }],
        JSON.stringify(torn)
      )
      await t.rejects(
        read(`${WHOLE}${first}${torn}\n${second}`),
        damagedAt(line),
        'unless a line follows'
      )
    }
  }
  t.equal(
    await seedIn(WHOLE + first + second.trimEnd()),
    2,
    'without the end of its line it is whole'
  )
  for (const [lines, place] of [
    [first.replace('"seed":1', '"seed":3') + second, line - 1],
    [first + second.replace('"seed":2', '"seed":3'), line],
    [`${first}x\n${second}`, line],
    [`${first}${second}\n`, line + 1],
    [`\n${first}`, line - 1]
  ] as const)
    await t.rejects(read(WHOLE + lines), damagedAt(place))
})

t.test('lines: what is not of this format is refused, not taken for a cut file', async t => {
  for (const text of [
    ' \n',
    'name: shop\n',
    'null',
    '{}',
    '{"format":"1"}',
    lineOf('{}'),
    lineOf('null'),
    Buffer.from([0x7f, 0x45, 0, 0xff])
  ])
    await t.rejects(read(text), new Error(SAYS.foreign), String(text))
  await t.rejects(read(lineOf('{"format":5}')), new Error(SAYS.otherFormat(5, 4)))
  await t.rejects(read(''), new Error(SAYS.empty))
})

t.test('lines: whatever bit of a file is flipped', async t => {
  const [written, before] = await Promise.all(
    [CHANGED, CHANGED.subarray(0, CHANGED.lastIndexOf('\n', -2) + 1)].map(
      async bytes => (await read(bytes)).data
    )
  )
  const lastLine = CHANGED.toString().trimEnd().split('\n').length
  let refused = 0
  for (let bit = 0; bit < 8 * CHANGED.length; bit++) {
    const bytes = Buffer.from(CHANGED)
    bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7))
    const found = await read(bytes).catch((error: Error) => error)
    if (found instanceof Error) {
      const line = bytes.subarray(0, bit >> 3).filter(byte => byte === 10).length + 1
      if (found.message !== SAYS.damaged(line) && !(line === 1 && found.message === SAYS.foreign))
        t.fail(`bit ${bit}: ${found.message}`)
      refused++
    } else if (found.torn?.line !== lastLine || !isDeepStrictEqual(found.data, before))
      t.fail(`bit ${bit}: ${JSON.stringify(found)}`)
  }
  t.notSame(written, before)
  t.ok(refused > 0.9 * 8 * CHANGED.length, `${refused} of ${8 * CHANGED.length} are refused`)
})

t.test('lines: wherever a file is cut off, it is refused, what is left out is told', async t => {
  const wholes = [WHOLE.length, CHANGED.lastIndexOf('\n', -2) + 1, CHANGED.length]
  for (let length = 0; length < CHANGED.length; length++) {
    const found = await read(CHANGED.subarray(0, length)).catch((error: Error) => error)
    // without its line end alone a line is whole, too
    const whole = wholes.findLast(end => end - 1 <= length) ?? 0
    if (whole === 0)
      t.ok(
        [SAYS.foreign, SAYS.empty, SAYS.cutOff].includes((found as Error).message),
        String(length)
      )
    else
      t.strictSame(
        found,
        {
          ...(await read(CHANGED.subarray(0, whole))),
          torn: length > whole ? (found as { torn: unknown }).torn : null
        },
        String(length)
      )
    if (whole > 0 && length > whole)
      t.equal((found as { torn: { bytes: number } }).torn.bytes, length - whole)
  }
})

t.test('lines: what is too long to be read back is not written', t => {
  const record = (characters: number) =>
    `{"sandbox":null,"family":"tickets","records":[{"id":"tkt_1","reference":"${'x'.repeat(characters)}"}]}`
  const text = record(178_956_830)
  t.throws(
    () => [...wholeLines([text])],
    new Error(SAYS.tooLong(text.slice(0, 60), text.length, 178_956_898))
  )
  t.end()
})

t.test('lines: a file that is longer than the longest string is read', async t => {
  const long = Buffer.from(
    seedLine(2, {
      sandbox: null,
      family: 'users',
      records: [{ id: 'u3', name: 'x'.repeat(2 ** 20) }]
    })
  )
  const chunks = [
    Buffer.from(WHOLE),
    ...Array(Math.ceil(constants.MAX_STRING_LENGTH / long.length)).fill(long)
  ]
  t.ok(chunks.reduce((sum, { length }) => sum + length, 0) > constants.MAX_STRING_LENGTH)
  const { data, torn } = await linesRead(chunks)
  t.strictSame([data.sandboxes[0]?.records.users?.length, torn], [3, null])
})

t.test('a file is replaced by many texts of any size, in as many writes as they need', async t => {
  const { file, folder } = await placeOf(t)
  const texts = ['é'.repeat(700_000), '', 'x', 'y'.repeat(3_000_000), 'z']
  const stingy = {
    ...DISK,
    open: async (path: string, flags: string, mode?: number) =>
      slow(await DISK.open(path, flags, mode))
  } as FileSystem
  const written = await replaceFile(file, texts, stingy)
  await written.append('é\n')
  await written.close()
  t.equal(await readFile(file, 'utf8'), `${texts.join('')}é\n`)
  t.strictSame(await readdir(folder), ['shop.json'])
})

/** A handle that writes at most 300,000 bytes at a time, as the system may. */
const slow = (handle: Awaited<ReturnType<FileSystem['open']>>) => {
  const write = handle.write as (...given: unknown[]) => Promise<unknown>
  handle.write = ((bytes: Buffer, from: number, length: number, at: number) =>
    write.call(handle, bytes, from, Math.min(length, 300_000), at)) as never
  return handle
}

t.test('a file that cannot be replaced is as it was, and nothing is left beside it', async t => {
  const { file, folder } = await placeOf(t)
  await writeFile(file, 'before')
  const disk = recordedDisk()
  disk.room = 3
  await t.rejects(replaceFile(file, ['after'], disk.files), { code: 'ENOSPC' })
  disk.room = 100
  disk.failsToSync = true
  await t.rejects(replaceFile(file, ['after'], disk.files), { code: 'EIO' })
  const unremovable = { ...disk.files, rm: () => Promise.reject(new Error('no')) }
  await t.rejects(replaceFile(file, ['after'], unremovable), { code: 'EIO' })
  t.strictSame([await readFile(file, 'utf8'), (await readdir(folder)).length], ['before', 2])
})

t.test('a file whose sync or truncation failed is not added to any more', async t => {
  for (const [code, failure] of [
    ['EIO', { failsToSync: true }],
    ['ENOSPC', { room: 2, failsToTruncate: true }]
  ] as const) {
    const { file } = await placeOf(t)
    const disk = recordedDisk()
    const written = await replaceFile(file, ['first\n'], disk.files)
    t.equal(await written.added(), 0)
    Object.assign(disk, failure)
    await t.rejects(written.append('second\n'), { code })
    Object.assign(disk, { failsToSync: false, failsToTruncate: false, room: 1000 })
    t.equal(await written.added(), null)
    await written.close()
  }
})

t.test('a folder that cannot be synced is left so; any other failure is told', async t => {
  const { folder } = await placeOf(t)
  const failing = (code: string, atOpen: boolean) => {
    const fail = () => Promise.reject(Object.assign(new Error(code), { code }))
    return {
      ...DISK,
      open: atOpen ? fail : async () => ({ sync: fail, close: async () => {} })
    } as unknown as FileSystem
  }
  for (const atOpen of [true, false]) {
    for (const code of ['EINVAL', 'EISDIR', 'ENOTSUP', 'EPERM'])
      await t.resolves(syncFolder(folder, failing(code, atOpen)))
    await t.rejects(syncFolder(folder, failing('EIO', atOpen)), { code: 'EIO' })
  }
})
