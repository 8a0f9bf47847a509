/** Writes a form: a parameter for each name and value. */
export const form = (body: object = {}): URLSearchParams =>
  new URLSearchParams(Object.entries(body).map(([name, value]) => [name, String(value)] as [string, string]))
