/** A JSON file that is replaced whole or not at all. */

/** Reads the file, null where there is none, and replaces it by a text. Errors of reading: those of the system, or what makes the text no JSON. */
export async function jsonFile(path: string) {
  const { TextFile } = await import('lowdb/node')
  const file = new TextFile(path)
  return {
    read: async (): Promise<{ data: unknown } | null> => {
      const text = await file.read()
      if (text?.trim() === '') throw new Error('it is empty')
      return text === null ? null : { data: JSON.parse(text) }
    },
    write: (text: string): Promise<void> => file.write(text)
  }
}
