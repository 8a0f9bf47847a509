/** How commands print. */

import { styleText } from 'node:util'
import { visible } from '../core/sentences.js'

export const printLine = (stderr: NodeJS.WritableStream, text: string): unknown =>
  stderr.write(`commerce-emulator: ${visible(text)}\n`)

/** The first that matches a line counts. */
const STYLES: readonly (readonly [line: RegExp, style: 'red' | 'yellow' | 'green' | 'bold'])[] = [
  [/^(error|commerce-emulator): |^ {2}(\u2717|FAILED) |[1-9]\d* failed\b/, 'red'],
  [/^ {2}! /, 'yellow'],
  [/^ {2}\u2713 |^\d+ passed|^commerce-emulator ready /, 'green'],
  [/^ {2}Next /, 'bold']
]

export function coloured(
  text: string,
  stream: Partial<Pick<NodeJS.WriteStream, 'hasColors'>>
): string {
  if (stream.hasColors?.() !== true) return text
  return text.replace(/^.+$/gm, line => {
    const style = STYLES.find(([pattern]) => pattern.test(line))?.[1]
    return style ? styleText(style, line, { validateStream: false }) : line
  })
}
