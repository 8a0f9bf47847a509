/** The command line of the benchmark's commands. */
import { parseArgs } from 'node:util'

/** Ends the process with status 1 and a message for the person who called it. */
export function refuse(message) {
  console.error(message)
  process.exit(1)
}

/** The values of the options, as `parseArgs` takes them; `--help` prints the usage. */
export function optionsOf(options, usage) {
  try {
    const { values } = parseArgs({
      options: { ...options, help: { type: 'boolean', default: false } }
    })
    if (!values.help) return values
  } catch (error) {
    refuse(`${error.message}\n\n${usage}`)
  }
  console.log(usage)
  process.exit(0)
}
