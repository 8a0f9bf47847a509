/** A table as text: rows on separate lines or after a bar, cells separated by white space. */
export const rows = <Row extends readonly (string | undefined)[]>(text: string): Row[] =>
  text
    .trim()
    .split(/\s*[|\n]\s*/)
    .map(row => row.split(/\s+/) as unknown as Row)
