/** Words of earlier versions, by the object that had them: what to write instead. */
const GROWING = 'min and max, or an entry for each delay, with calls'
const PERIODS = 'from and to alone, and an entry for each busier period'

export const RETIRED = {
  entry: {
    at: 'from and until, or advance the clock',
    bandwidth: 'fault: truncated_body, or delay',
    cut_after: 'fault: truncated_body'
  },
  match: { any: 'an entry or expectation for each, or a list of values' },
  delay: { from: GROWING, by: GROWING, every: GROWING },
  hold: { once: 'calls next to hold, such as calls: 1-2' },
  use: 'write the group alone, as in outages.yaml#brief-outage; for override, an entry under script',
  expectation: { at_least: 'times: 2+', at_most: 'times: 0-2', same: 'per' },
  created: {
    hours: PERIODS,
    weekdays: PERIODS,
    months: PERIODS,
    zone: 'from and to with an offset'
  }
}
