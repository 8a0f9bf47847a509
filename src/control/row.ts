/** The rows of the control API. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Settings } from '../core/settings.js'
import type { Shares } from '../core/shares.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import type { Located } from '../scenario/documents.js'
import type { Library } from '../scenario/library.js'
import type { Body } from '../scenario/reading.js'
import type { Data } from '../server/responses.js'
import type { EventStreams } from './evidence/events.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    row?: Flags
  }
}

export type Pages = {
  console: (reply: FastifyReply, control: string) => Promise<void>
  /** The page holds the key of its requests, so it must not be cached. */
  docs: (reply: FastifyReply, values: { control: string; key: string }) => Promise<string>
  /** Returns whether the file exists. */
  file: (reply: FastifyReply, of: 'console' | 'docs', name: string) => Promise<boolean>
}

export type Services = {
  sandboxes: Sandboxes
  library: Library
  /** Of the process; a sandbox has its own. */
  settings: Settings
  version: string
  data: Data
  pages: Pages
  streams: EventStreams
  waiting: Shares
  closing: AbortSignal
}

export type Context<Q = unknown, B = unknown> = Services & {
  request: FastifyRequest
  reply: FastifyReply
  sandbox: Sandbox
  /** The parts of the path that are in capitals in the row. */
  name: string
  id: string
  query: Q
  /** The parsed body, and the document it was read from. */
  body: B
  document: Located
  /** Null where an optional body was left out. */
  sent: Body
  isTrial: boolean
  /** Aborted when the client leaves before the response. */
  left: () => AbortSignal
}

export type Flags = {
  /** Pages of other sites may link to it. */
  page?: true
  /** Creates the sandbox that it names, unless it fails. */
  makesSandbox?: true
  /** Changes what a data folder keeps, unless it is refused or a trial. */
  isSaved?: true
  /** Needs memory for what it adds. */
  adds?: true
}

export const CHANGES = { makesSandbox: true, isSaved: true } as const

export type Row<Q extends TSchema = TSchema, B extends TSchema = TSchema> = Flags & {
  does: string
  /** Left out, there are no parameters; null ignores any. */
  query?: Q | null
  /** Without a schema, the handler reads a document of up to `limits.control_body`. */
  body?: {
    example: string
    schema?: () => B
    isOptional?: true
    /** The schema of such a document. */
    published?: () => object
  }
  /** Left out for an empty response, text or a document. */
  response?: TSchema
  /** 200 by default; a DELETE has 204. */
  status?: 200 | 201
  /** The status of a negative result of the same type. */
  also?: 409 | 503
  run(context: Context<Static<Q>, Static<B>>): unknown
}

/** In the path of a row: any name or id. */
export const NAMED_PARTS = /(?<=\/)[A-Z]+/g

/** By method and path. */
export type Group = { title: string; rows: Rows }
export type Rows = Readonly<Record<string, Row>>

/** A row whose handler gets the types of its query and body. */
export const row = <Q extends TSchema, B extends TSchema>(row: Row<Q, B>): Row => row
