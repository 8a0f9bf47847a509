/** Finds documents in the user's folders, then in the package. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { ApiError } from '../core/errors.js'
import { withoutSecrets } from '../core/redaction.js'
import type { Said } from '../core/sentences.js'
import type { Settings } from '../core/settings.js'
import { isObject } from '../reference/rules.js'
import { DEFAULT_LIMITS, documentInvalid, documentOf, type Located } from './documents.js'
import { locatorIn, type ReadText, readDocument, type TextType, utf8In } from './read/document.js'
import { say } from './sentences.js'
import { isScalar } from './shape/entry.js'
import { asRight, type Kind, kindOf } from './shape/scenario.js'

type Shelf = 'fixtures' | 'scenarios'
type UserFolders = Readonly<Record<Shelf, string | null>>
type About = {
  kind: Kind
  title?: string
  description: string | null
  vars?: Readonly<Record<string, unknown>>
}
type Listed = About & { name: string }

const SHELVES = ['scenarios', 'fixtures'] as const
const ENDINGS = ['.yaml', '.yml', '.json']
/** Bytes that are shown: masking more would make other requests wait. */
const MAX_SHOWN = 2 ** 18
/** For editors: `own.scenario.yaml` is the scenario `own`. */
const KIND_IN_NAME = /\.(scenario|fixture)$/
const STDIN = '-'
export const PACKAGE_ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const VERSION: string = JSON.parse(
  readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')
).version

export const isPath = (reference: string): boolean =>
  /[\\/]/.test(reference) || ENDINGS.includes(extname(reference))

/** Errors: those of the file system, with the path; `document_invalid`. */
export async function textOf(path: string, reading = readFile(path)): Promise<string> {
  const bytes = await reading.catch(error => {
    throw Object.assign(error, { path })
  })
  return utf8In(path, bytes)
}

export class Library {
  static from(settings: Settings): Library {
    const { fixtures_dir: fixtures, scenarios_dir: scenarios } = settings
    return new Library({ fixtures, scenarios }, settings)
  }

  /** Paths of the files that were read. */
  readonly read = new Set<string>()

  constructor(
    readonly userFolders: UserFolders,
    readonly limits = DEFAULT_LIMITS,
    private readonly readText: ReadText = readDocument
  ) {}

  readBy(read: ReadText): Library {
    return new Library(this.userFolders, this.limits, read)
  }

  async file(path: string): Promise<Located> {
    this.read.add(path)
    return this.#document(path)
  }

  async #document(path: string): Promise<Located> {
    const text = await textOf(path, path === STDIN ? buffer(process.stdin) : undefined)
    const prepared = isInside(path, PACKAGE_ROOT) ? preparedDocument(path, text) : null
    return prepared ?? this.text(path, text)
  }

  text(name: string, text: string, type?: TextType): Promise<Located> {
    return this.readText(name, text, { limits: this.limits, type })
  }

  /** Also finds fixtures. Errors: `scenario_unknown`, with the names that exist. */
  async scenario(name: string): Promise<Located> {
    return this.file(await this.#path(name))
  }

  /** With secrets masked. Errors: `scenario_unknown`, `document_too_large`. */
  async maskedText(name: string): Promise<{ type: TextType; text: string }> {
    const path = await this.#path(name)
    const { size } = statSync(path)
    if (size > MAX_SHOWN)
      throw new ApiError('document_too_large', say('too_large_to_show', name, size, MAX_SHOWN))
    const type = extname(path) === '.json' ? 'json' : 'yaml'
    return { type, text: withoutSecrets(await textOf(path)) }
  }

  async #path(name: string): Promise<string> {
    const path = this.pathOf(name)
    if (path !== null) return path
    const known = (await this.list()).map(entry => entry.name)
    throw new ApiError('scenario_unknown', say('no_scenario', name, known))
  }

  pathOf(name: string): string | null {
    return this.#files(...SHELVES).get(name)?.path ?? null
  }

  async fixture(reference: string, from: string | null): Promise<Located> {
    const document = await this.#named(reference, from, 'fixtures')
    if (document !== null) return document
    throw notFound(say('no_fixture', reference, [...this.#files('fixtures').keys()]))
  }

  /** A name is searched for beside the document first. */
  async sharedScript(reference: string, from: string | null): Promise<Located> {
    const isBeside = (file: string) =>
      from !== null && file !== basename(from) && fileAt(join(dirname(from), file)) !== null
    const beside = isPath(reference)
      ? undefined
      : ENDINGS.map(ending => reference + ending).find(isBeside)
    const document = await this.#named(beside ?? reference, from, 'scenarios')
    if (document !== null && kindOf(document.data) === 'script') return document
    const all = await this.#all()
    const known = all.flatMap(({ name, kind }) => (kind === 'script' ? name : []))
    throw notFound(say('no_shared_script', reference, known))
  }

  /** Null for an unknown name. A path must stay in its folder or those of the library. */
  async #named(reference: string, from: string | null, shelf: Shelf): Promise<Located | null> {
    if (!isPath(reference)) {
      const entry = this.#files(shelf).get(reference)
      return entry === undefined ? null : this.file(entry.path)
    }
    if (from === null) throw notFound(say('names_only', reference))
    const path = fileAt(resolve(dirname(from), reference))
    if (path === null) throw notFound(say('no_file', reference))
    const allowed = [dirname(from), ...SHELVES.flatMap(shelf => this.#folders(shelf))]
    if (!allowed.some(folder => existsSync(folder) && isInside(path, realpathSync(folder))))
      throw notFound(say('outside_folders', reference))
    return this.file(path)
  }

  /** What can be loaded. */
  async list(): Promise<Listed[]> {
    return (await this.#all()).filter(({ kind }) => kind !== 'script')
  }

  async #all(): Promise<Listed[]> {
    const all: Listed[] = []
    for (const [name, { path, shelf }] of this.#files(...SHELVES))
      all.push({
        name,
        ...(shelf === 'fixtures'
          ? { kind: 'fixture', description: commentOf(path) }
          : aboutIn((await this.#document(path).catch(() => documentOf(path, null))).data, name))
      })
    return all
  }

  #folders(shelf: Shelf): string[] {
    return [this.userFolders[shelf], join(PACKAGE_ROOT, shelf)].filter(folder => folder !== null)
  }

  /** By name; a link must stay in its folder. */
  #files(...shelves: readonly Shelf[]): Map<string, { path: string; shelf: Shelf }> {
    const files = new Map<string, { path: string; shelf: Shelf }>()
    for (const shelf of shelves)
      for (const folder of this.#folders(shelf)) {
        const names = readdirSync(folder).sort()
        const root = realpathSync(folder)
        for (const file of names) {
          const name = basename(file, extname(file)).replace(KIND_IN_NAME, '')
          if (files.has(name) || !ENDINGS.includes(extname(file))) continue
          const path = fileAt(join(folder, file))
          if (path !== null && isInside(path, root)) files.set(name, { path, shelf })
        }
      }
    return files
  }
}

function aboutIn(data: unknown, file: string): About {
  const { name, description, vars } = isObject(data) ? data : {}
  const all = Object.entries(isObject(vars) ? vars : {})
  const variables = all.filter(([, value]) => isScalar(value))
  return {
    kind: kindOf(data) === 'script' ? 'script' : 'scenario',
    ...(typeof name === 'string' && name !== file && { title: withoutSecrets(name) }),
    description: typeof description === 'string' ? withoutSecrets(description) : null,
    ...(variables.length > 0 && { vars: Object.fromEntries(variables) })
  }
}

/** Without a file: the problem is at the place that names the document. */
const notFound = (problem: Said) => documentInvalid([{ path: '', ...problem }])

function commentOf(path: string): string | null {
  const lines = readFileSync(path, 'utf8').split('\n', 3)
  return lines.find(line => /^# (?!yaml-language-server)/.test(line))?.slice(2) ?? null
}

/** The real path of a file, null for none. */
function fileAt(path: string): string | null {
  try {
    return statSync(path).isFile() ? realpathSync(path) : null
  } catch {
    return null
  }
}

/** A name may begin with two dots, such as `..data` of a Kubernetes ConfigMap. */
function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way.split(sep)[0] !== '..' && !isAbsolute(way)
}

const FOLDER = join(PACKAGE_ROOT, 'dist/documents/')

/** A text that changed since the build has another name. */
export const preparedName = (text: string): string =>
  `${createHash('sha256').update(text).digest('hex')}.json`

/** Of the package: read and checked by the build. */
export function preparedDocument(name: string, text: string): Located | null {
  try {
    const { data, kind } = JSON.parse(readFileSync(FOLDER + preparedName(text), 'utf8'))
    return { name, data: asRight(data, kind), placesOf: locatorIn(text) }
  } catch {
    return null
  }
}
