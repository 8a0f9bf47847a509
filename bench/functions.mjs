/**
 * What one warm POST /refunds enters: the files of src/ and the named functions in them, counted by
 * V8's precise coverage on the sources.
 *   npm run bench:functions [-- --list]
 */
import { Session } from 'node:inspector/promises'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { list: { type: 'boolean', default: false } } })
const { runEmulator } = await import('../src/emulator.js')
const WARM = 500
/** What the request is to enter at most. */
const GOALS = { files: 30, functions: 90 }

const emulator = await runEmulator()
const { baseUrl, apiKeys } = emulator
const headers = {
  authorization: `Basic ${Buffer.from(`${apiKeys[0].key}:`).toString('base64')}`,
  'content-type': 'application/x-www-form-urlencoded'
}
const post = async (path, body) =>
  (
    await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers,
      body: String(new URLSearchParams(body))
    })
  ).json()
const ticket = (await (await fetch(`${baseUrl}/tickets?limit=1`, { headers })).json()).data[0].id
const { id } = await post('/transactions', {
  ticket,
  payment_type: 'card',
  'card[last4]': '4242',
  amount: '1000000'
})
const refund = () =>
  post('/refunds', { transaction: id, amount: '1', reason: 'cold soup', 'metadata[table]': '12' })
for (let request = 0; request < WARM; request++) await refund()

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
await session.post('Profiler.takePreciseCoverage')
await refund()
await new Promise(resolve => setTimeout(resolve, 50))
const { result } = await session.post('Profiler.takePreciseCoverage')
await emulator.close()

const entered = result.flatMap(({ url, functions }) => {
  const [, file] = /\/src\/([^?]+\.ts)/.exec(url) ?? []
  const named = functions.filter(
    ({ functionName, ranges: [range] }) =>
      /^[\w#$ .]+$/.test(functionName) && functionName !== '__name' && range.count > 0
  )
  return file === undefined || named.length === 0
    ? []
    : [
        {
          file,
          names: named.map(({ functionName }) => functionName),
          calls: named.reduce((sum, { ranges: [range] }) => sum + range.count, 0)
        }
      ]
})
const total = part => entered.reduce((sum, entry) => sum + part(entry), 0)
if (values.list)
  for (const { file, names, calls } of entered)
    console.log(`${file}  ${calls} calls: ${names.join(', ')}`)
console.log(
  `POST /refunds enters ${entered.length} files, ${total(({ names }) => names.length)} named functions, ${total(({ calls }) => calls)} calls; the goals are ${GOALS.files} files and ${GOALS.functions} functions`
)
