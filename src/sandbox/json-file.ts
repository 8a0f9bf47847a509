/** A JSON file that is replaced whole or not at all. */
import { readFileSync } from 'node:fs'

/** Reads the file, null where there is none, and replaces it by a text. Errors of reading: those of the system, or what makes the text no JSON. */
export async function jsonFile(path: string) {
  const { TextFile } = await import('lowdb/node')
  const file = new TextFile(path)
  return {
    read: async (): Promise<{ data: unknown } | null> => {
      const text = textOf(path)
      if (text?.trim() === '') throw new Error('it is empty')
      return text === null ? null : { data: JSON.parse(text) }
    },
    write: (text: string): Promise<void> => file.write(text)
  }
}

/** The text of a file, null where there is none. At once: reading it in parts takes three times as long, and parsing it stops the process for longer. */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
