/** A share as a bar. */
type Props = { max: number; value: number; label: string }

export const Meter = ({ max, value, label }: Props) => (
  <div class="meter" role="meter" aria-label={label} aria-valuemin={0} aria-valuemax={max} aria-valuenow={value}>
    <span style={{ width: `${(value / max) * 100}%` }} />
  </div>
)
