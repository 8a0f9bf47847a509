/** Finds documents in the user's folders, then in the package. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { ApiError } from '../core/errors.js'
import { withoutSecrets } from '../core/redaction.js'
import { isObject } from '../core/schema-words.js'
import type { Said } from '../core/sentences.js'
import type { Settings } from '../core/settings.js'
import { documentOf } from './documents.js'
import {
  locatorIn,
  type ReadText,
  readDocument,
  type SourceDocument,
  type TextType,
  utf8In
} from './read/document.js'
import { DEFAULT_LIMITS, documentInvalid } from './read/refusal.js'
import { isSharedScript } from './script/shared-script.js'
import { say } from './sentences.js'
import { declaredVariables, type VariableValue } from './shape/variables.js'

type Shelf = 'fixtures' | 'scenarios'
type UserFolders = Readonly<Record<Shelf, string | null>>
type Listed = {
  name: string
  kind: 'scenario' | 'fixture'
  title?: string
  description: string | null
  vars?: Readonly<Record<string, VariableValue | null>>
}
const ENDINGS = ['.yaml', '.yml', '.json']
/** For editors: `own.scenario.yaml` is the scenario `own`. */
const KIND_IN_NAME = /\.(scenario|fixture)$/
/** Bytes that are shown: masking more would make other requests wait. */
const MAX_SHOWN = 2 ** 18
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

/** The path is null for a link that leads outside its folder. */
type FileEntry = { path: string | null; shelf: Shelf }
const SHELVES = ['scenarios', 'fixtures'] as const

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

  async file(path: string): Promise<SourceDocument> {
    this.read.add(path)
    return this.#document(path)
  }

  async #document(path: string): Promise<SourceDocument> {
    const text = await textOf(path, path === STDIN ? buffer(process.stdin) : undefined)
    const prepared = isInside(path, PACKAGE_ROOT) ? preparedDocument(path, text) : null
    return prepared ?? this.text(path, text)
  }

  text(name: string, text: string, type?: TextType): Promise<SourceDocument> {
    return this.readText(name, text, { limits: this.limits, type })
  }

  /** Also finds fixtures. Errors: `scenario_unknown`, with the names that exist. */
  async scenario(name: string, folder: string | null = null): Promise<SourceDocument> {
    return this.file(await this.#path(name, folder))
  }

  /** With secrets masked. Errors: `scenario_unknown`, `document_too_large`. */
  async maskedText(name: string): Promise<{ type: TextType; text: string }> {
    const path = await this.#path(name, null)
    const { size } = statSync(path)
    if (size > MAX_SHOWN)
      throw new ApiError('document_too_large', say('too_large_to_show', name, size, MAX_SHOWN))
    const type = extname(path) === '.json' ? 'json' : 'yaml'
    return { type, text: withoutSecrets(await textOf(path)) }
  }

  async #path(name: string, folder: string | null): Promise<string> {
    const path = this.pathOf(name)
    if (path) return path
    const known = (await this.list()).map(entry => entry.name)
    const [file] = folder === null ? [] : filesOf(name, folder)
    throw new ApiError('scenario_unknown', say('no_scenario', name, known, file))
  }

  pathOf(name: string): string | null {
    const entry = this.#files(...SHELVES).get(name)
    if (entry?.path === null)
      throw new ApiError('scenario_unknown', { message: `${say('link_outside', name).message}.` })
    return entry?.path ?? null
  }

  async fixture(reference: string, from: string | null): Promise<SourceDocument> {
    const document = await this.#named(reference, from, 'fixtures', 'fixtures')
    if (document !== null) return document
    const known = [...this.#files('fixtures')].flatMap(([name, { path }]) => (path ? name : []))
    const [beside] = from === null ? [] : filesOf(reference, dirname(from))
    throw notFound(say('no_fixture', reference, known, beside))
  }

  async sharedScript(reference: string, from: string | null): Promise<SourceDocument> {
    if (reference === '') throw notFound(say('no_group', 'outages.yaml', 'brief-outage'))
    const beside =
      from === null || isPath(reference)
        ? undefined
        : filesOf(reference, dirname(from)).find(file => basename(from) !== file)
    const document = await this.#named(beside ?? reference, from, 'scenarios', 'files of groups')
    if (document !== null && isSharedScript(document.data)) return document
    if (document !== null) throw notFound(say('no_groups', reference))
    const shared: string[] = []
    for (const [name, { path, shelf }] of this.#files('scenarios'))
      if (path && (await this.#listed(name, path, shelf)) === null) shared.push(name)
    throw notFound(say('no_shared_script', reference, shared))
  }

  /** Null for an unknown name. A path must stay in its folder or those of the library. */
  async #named(
    reference: string,
    from: string | null,
    shelf: Shelf,
    what: string
  ): Promise<SourceDocument | null> {
    if (!isPath(reference)) {
      const entry = this.#files(shelf).get(reference)
      if (entry?.path === null) throw notFound(say('link_outside', reference))
      return entry === undefined ? null : this.file(entry.path)
    }
    if (from === null) throw notFound(say('names_only', what, reference))
    const path = fileAt(resolve(dirname(from), reference))
    if (path === null) throw notFound(say('no_file', reference))
    const allowed = [dirname(from), ...this.#folders('fixtures'), ...this.#folders('scenarios')]
    if (!allowed.some(folder => existsSync(folder) && isInside(path, realpathSync(folder))))
      throw notFound(say('outside_folders', reference))
    return this.file(path)
  }

  async list(): Promise<Listed[]> {
    const listed: Listed[] = []
    for (const [name, { path, shelf }] of this.#files(...SHELVES)) {
      const about = path && (await this.#listed(name, path, shelf))
      if (about) listed.push(about)
    }
    return listed
  }

  /** Null for a file of groups, which cannot be loaded. */
  async #listed(name: string, path: string, shelf: Shelf): Promise<Listed | null> {
    if (shelf === 'fixtures') return { name, kind: 'fixture', description: commentOf(path) }
    const { data } = await this.#document(path).catch(() => documentOf(path, null))
    if (isSharedScript(data)) return null
    const { name: title, description, vars } = isObject(data) ? data : {}
    const declared = declaredVariables(vars, { overrides: [], report: () => {} })
    const variables = Array.from(declared).filter(([, value]) => value !== null)
    return {
      name,
      kind: 'scenario',
      ...(typeof title === 'string' && title !== name && { title: withoutSecrets(title) }),
      description: typeof description === 'string' ? withoutSecrets(description) : null,
      ...(variables.length > 0 && { vars: Object.fromEntries(variables) })
    }
  }

  #folders(shelf: Shelf): string[] {
    return [this.userFolders[shelf], join(PACKAGE_ROOT, shelf)].filter(folder => folder !== null)
  }

  #files(...shelves: readonly Shelf[]): Map<string, FileEntry> {
    const entries = new Map<string, FileEntry>()
    for (const shelf of shelves)
      for (const folder of this.#folders(shelf))
        for (const file of readdirSync(folder).sort()) {
          const name = basename(file, extname(file)).replace(KIND_IN_NAME, '')
          if (entries.has(name) || !ENDINGS.includes(extname(file))) continue
          const path = fileAt(join(folder, file))
          if (path === null) continue
          entries.set(name, { path: isInside(path, realpathSync(folder)) ? path : null, shelf })
        }
    return entries
  }
}

/** Without a file: the problem is at the place that names the document. */
const notFound = (problem: Said) => documentInvalid([{ path: '', ...problem }])

const filesOf = (name: string, folder: string) =>
  ENDINGS.map(ending => name + ending).filter(file => existsSync(resolve(folder, file)))

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

export function preparedDocument(name: string, text: string): SourceDocument | null {
  try {
    const { checkedAs, data }: SourceDocument = JSON.parse(
      readFileSync(FOLDER + preparedName(text), 'utf8')
    )
    return { name, data, checkedAs, locate: locatorIn(text) }
  } catch {
    return null
  }
}
