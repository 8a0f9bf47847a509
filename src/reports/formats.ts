/** The formats of each report, and what writes it. */
import { runPage } from './html.js'
import { checkJunit, runJunit } from './junit.js'
import { runMarkdown } from './markdown.js'
import { checkText } from './text.js'

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

export const RUN_FORMATS = { html: runPage, junit: runJunit, markdown: runMarkdown } as const
export const CHECK_FORMATS = { text: checkText, junit: checkJunit } as const

export const MEDIA_TYPES = {
  html: 'text/html; charset=utf-8',
  junit: 'application/xml; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  text: 'text/plain; charset=utf-8'
} as const
