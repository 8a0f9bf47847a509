/**
 * A file system that records system calls and can be full, and what a device may contain when the
 * power fails.
 */
import { join } from 'node:path'
import { DISK, type FileSystem } from '../../src/sandbox/saved/disk.js'

/**
 * A system call. `inode` is a number for each opened file. `sync` is of a file, or of the names in
 * a folder.
 */
export type DiskCall =
  | { call: 'create'; path: string; inode: number }
  | { call: 'write'; inode: number; at: number; bytes: Buffer }
  | { call: 'sync'; inode: number }
  | { call: 'syncFolder'; path: string }
  | { call: 'rename'; from: string; to: string }
  | { call: 'remove'; path: string }

export type RecordedDisk = {
  files: FileSystem
  calls: DiskCall[]
  room: number
  failsToSync: boolean
}
type Handle = Awaited<ReturnType<FileSystem['open']>>

const failure = (code: string, call: string) =>
  Object.assign(new Error(`${code}: failed on purpose, ${call}`), { code })

/** The real file system, recorded. `room` is the space left; longer writes are truncated. */
export function recordedDisk(): RecordedDisk {
  const calls: DiskCall[] = []
  let inodes = 0
  /** Bytes by inode, and inodes by path, to free the space of removed files. */
  const sizes = new Map<number, number>()
  const paths = new Map<string, number>()
  const resize = (inode: number, size: number) => {
    disk.room -= size - (sizes.get(inode) ?? 0)
    sizes.set(inode, size)
  }
  const recorded = (handle: Handle, inode: number, folder: string | null) =>
    new Proxy(handle, {
      get(target, name) {
        if (name === 'write')
          return async (bytes: Buffer, from: number, length: number) => {
            const at = sizes.get(inode) ?? 0
            const fits = Math.min(length, disk.room)
            if (fits === 0 && length > 0) throw failure('ENOSPC', 'write')
            resize(inode, at + fits)
            calls.push({
              call: 'write',
              inode,
              at,
              bytes: Buffer.from(bytes.subarray(from, from + fits))
            })
            return target.write(bytes, from, fits)
          }
        if (name === 'sync')
          return async () => {
            if (disk.failsToSync) throw failure('EIO', 'fsync')
            calls.push(
              folder === null ? { call: 'sync', inode } : { call: 'syncFolder', path: folder }
            )
            return target.sync()
          }
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      }
    })
  const open = async (path: string, flags: string, mode?: number) => {
    const handle = await DISK.open(path, flags, mode)
    if (flags === 'r') return recorded(handle, 0, path)
    calls.push({ call: 'create', path, inode: ++inodes })
    paths.set(path, inodes)
    return recorded(handle, inodes, null)
  }
  const writeFile = async (handle: Handle, texts: AsyncIterable<string>) => {
    for await (const text of texts) {
      const bytes = Buffer.from(text)
      for (let done = 0; done < bytes.length; )
        done += (await handle.write(bytes, done, bytes.length - done)).bytesWritten
    }
  }
  const rename = async (from: string, to: string) => {
    await DISK.rename(from, to)
    const replaced = paths.get(to)
    if (replaced !== undefined) resize(replaced, 0)
    paths.set(to, paths.get(from) as number)
    paths.delete(from)
    calls.push({ call: 'rename', from, to })
  }
  const rm = async (path: string, options: object) => {
    await DISK.rm(path, options)
    resize(paths.get(path) ?? 0, 0)
    calls.push({ call: 'remove', path })
  }
  const disk: RecordedDisk = {
    files: { ...DISK, open, rename, rm, writeFile } as FileSystem,
    calls,
    room: Number.POSITIVE_INFINITY,
    failsToSync: false
  }
  return disk
}

type Change = { at: number; bytes: Buffer }
type Inode = { synced: Buffer; pending: Change[] }
type Names = ReadonlyMap<string, number>
type NameChange = { path: string; inode: number | null }[]

const applied = (content: Buffer, change: Change): Buffer => {
  const after = Buffer.alloc(Math.max(content.length, change.at + change.bytes.length))
  content.copy(after)
  change.bytes.copy(after, change.at)
  return after
}

/** Possible contents of a file whose last changes were not synced. */
function* contentsOf({ synced, pending }: Inode, cuts: number): Generator<Buffer> {
  let content = synced
  yield content
  for (const change of pending) {
    const { at, bytes } = change
    const places = new Set(
      Array.from({ length: cuts + 1 }, (_, nth) => Math.floor((nth * bytes.length) / cuts))
    )
    for (const cut of [...places, 1, bytes.length - 1]) {
      const zeros = Buffer.alloc(bytes.length)
      yield applied(content, { at, bytes: bytes.subarray(0, cut) })
      yield applied(content, {
        at,
        bytes: Buffer.concat([bytes.subarray(0, cut), zeros.subarray(cut)])
      })
      yield applied(content, {
        at,
        bytes: Buffer.concat([zeros.subarray(0, cut), bytes.subarray(cut)])
      })
    }
    content = applied(content, change)
    yield content
  }
}

function* subsetsOf<T>(all: readonly T[]): Generator<T[]> {
  for (let bits = 0; bits < 2 ** all.length; bits++) yield all.filter((_, nth) => bits & (1 << nth))
}

/** Possible contents of a path when the power fails after `count` calls; null is no file. */
export function* crashesAt(
  calls: readonly DiskCall[],
  count: number,
  path: string,
  cuts: number
): Generator<Buffer | null> {
  const inodes = new Map<number, Inode>()
  let names: Names = new Map()
  let changes: NameChange[] = []
  const present = new Map<string, number>()
  for (const call of calls.slice(0, count)) {
    const inode = 'inode' in call ? inodes.get(call.inode) : undefined
    if (call.call === 'create') {
      inodes.set(call.inode, { synced: Buffer.alloc(0), pending: [] })
      present.set(call.path, call.inode)
      changes.push([{ path: call.path, inode: call.inode }])
    }
    if (call.call === 'write') inode?.pending.push(call)
    if (call.call === 'sync' && inode) {
      inode.synced = inode.pending.reduce(applied, inode.synced)
      inode.pending = []
    }
    if (call.call === 'rename') {
      const moved = present.get(call.from) as number
      present.delete(call.from)
      present.set(call.to, moved)
      changes.push([
        { path: call.from, inode: null },
        { path: call.to, inode: moved }
      ])
    }
    if (call.call === 'remove') {
      present.delete(call.path)
      changes.push([{ path: call.path, inode: null }])
    }
    if (call.call === 'syncFolder') {
      names = new Map(present)
      changes = []
    }
  }
  const found = new Set<number | undefined>()
  for (const done of subsetsOf(changes)) {
    const after = new Map<string, number | null>(names)
    for (const { path, inode } of done.flat()) after.set(path, inode)
    found.add(after.get(path) ?? undefined)
  }
  for (const inode of found) {
    if (inode === undefined) yield null
    else yield* contentsOf(inodes.get(inode) as Inode, cuts)
  }
}

/** The system calls as text, each file by its first name. */
export function callsText(calls: readonly DiskCall[], folder: string): string[] {
  const names = new Map<number, string>()
  const short = (path: string) =>
    path === folder ? '.' : path.replace(join(folder, '/'), '').replace(/[0-9a-f]{16}/, '*')
  return calls.map(call => {
    if (call.call === 'create') names.set(call.inode, short(call.path))
    const name = 'inode' in call ? names.get(call.inode) : ''
    if (call.call === 'write') return `write ${name} ${call.at}+${call.bytes.length}`
    if (call.call === 'rename') return `rename ${short(call.from)} ${short(call.to)}`
    return `${call.call} ${name || short((call as { path: string }).path)}`
  })
}
