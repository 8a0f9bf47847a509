/** One word of a shell command, quoted if needed; `separator` separates the parts of a path. */
export const shellWord = (text: string, separator = '/'): string =>
  /^[\w./:@%+=,-]+$/.test(text.replaceAll(separator, '/')) ? text : `'${text.replaceAll("'", "'\\''")}'`
