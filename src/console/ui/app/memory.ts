/** What a browser keeps between visits; one that keeps nothing is no error. */

const KEY = 'commerce-emulator:'

export function remembered(name: string): string | null {
  try {
    return localStorage.getItem(KEY + name)
  } catch {
    return null
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(KEY + name, value)
  } catch {
    // nothing is kept then
  }
}
