/**
 * A table as text: its rows stand in lines of their own or behind a bar, the cells of a row behind
 * white space.
 */
export const rows = <Row extends readonly (string | undefined)[]>(text: string): Row[] =>
  text
    .trim()
    .split(/\s*[|\n]\s*/)
    .map(row => row.split(/\s+/) as unknown as Row)
