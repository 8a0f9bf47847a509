/** Rows of cells, all of them in the page. */
import type { ComponentChildren, VNode } from 'preact'

type Props = { heads: readonly ComponentChildren[]; rows: readonly (readonly ComponentChildren[])[] }

/** A cell that is a `td` or `th` stays as it is. */
export const Table = ({ heads, rows }: Props) => (
  <table>
    <thead>
      <tr>
        {heads.map((head, place) => (
          <th key={place} scope="col">
            {head}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((cells, place) => (
        <tr key={place}>{cells.map((cell, place) => (isCell(cell) ? cell : <td key={place}>{cell}</td>))}</tr>
      ))}
    </tbody>
  </table>
)

const isCell = (cell: ComponentChildren): boolean => /^t[dh]$/.test(String((cell as VNode | null)?.type))

/** Names with what each is. */
export const Pairs = ({ pairs, class: name }: { pairs: Iterable<readonly [name: ComponentChildren, value: ComponentChildren]>; class?: string }) => (
  <dl class={name}>
    {[...pairs].map(([name, value], place) => (
      <div key={place}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
