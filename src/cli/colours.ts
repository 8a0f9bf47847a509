/** Colours of what commands print. */
import { styleText } from 'node:util'

/** By how a line begins or ends; the first that fits counts. */
const STYLES: readonly (readonly [line: RegExp, style: 'red' | 'yellow' | 'green' | 'bold'])[] = [
  [/^(error|commerce-emulator): |^ {2}(\u2717|FAILED) |[1-9]\d* (failed|problems?)\b/, 'red'],
  [/^ {2}! |^warning: |\d warnings?$/, 'yellow'],
  [/^ {2}\u2713 |^\d+ passed|: valid$|^commerce-emulator ready /, 'green'],
  [/^ {2}Next /, 'bold']
]

/** As it is for a file, a pipe, a terminal without colours, and where NO_COLOR is set. */
export function coloured(
  text: string,
  stream: Partial<Pick<NodeJS.WriteStream, 'hasColors'>>
): string {
  if (stream.hasColors?.() !== true) return text
  return text.replace(/^.+$/gm, line => {
    const style = STYLES.find(([fits]) => fits.test(line))?.[1]
    return style ? styleText(style, line, { validateStream: false }) : line
  })
}
