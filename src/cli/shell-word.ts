/** The text as one word of a shell command, quoted where that is needed. `separator` is what separates the parts of a path. */
export const shellWord = (text: string, separator = '/'): string =>
  /^[\w./:@%+=,-]+$/.test(text.replaceAll(separator, '/')) ? text : `'${text.replaceAll("'", "'\\''")}'`
