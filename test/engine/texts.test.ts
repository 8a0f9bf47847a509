/**
 * Texts that a client sends, of characters that patterns repeat: each gets a response, and no name
 * beyond its limit is read. In the long form of `npm run endurance` their processor time counts.
 */
import t from 'tap'
import { startWorld } from '../support/world.js'

const CHARACTERS = [' ', '-', '0', '"', '[', ']', '[a]', '${', '/', 'é', 'a-', ': ']
const IS_LONG = process.env.ENDURANCE === 'long'
const SIZES = IS_LONG ? [16_384, 65_536, 1_000_000] : [16_384]
const PLACES: Readonly<Record<string, (text: string) => [on: string, sent: object]>> = {
  'a name of a body': text => ['POST /refunds', { body: `${text}=1` }],
  'a name of a query': text => ['GET /tickets', { query: `${text}=1` }],
  'a value': text => ['POST /refunds', { body: `reason=${text}` }],
  'a value of metadata': text => ['POST /refunds', { body: `metadata[a]=${text}` }],
  'a search': text => ['GET /tickets', { query: `limit=1&location=loc_a&search_query=${text}` }],
  'an id': text => [`GET /tickets/${text}`, {}]
}

for (const [place, sent] of Object.entries(PLACES))
  t.test(`${place}: long texts of one kind`, async t => {
    const { call } = await startWorld({})
    for (const characters of CHARACTERS)
      for (const size of SIZES) {
        const encoded = encodeURIComponent(characters)
        const text = encoded.repeat(size / encoded.length)
        const title = `${JSON.stringify(characters)} ${size}`
        const begun = process.cpuUsage()
        const { status, body } = call(...(sent(text) as Parameters<typeof call>))
        const { user, system } = process.cpuUsage(begun)
        if (IS_LONG) t.ok((user + system) / 1000 < (size > 65_536 ? 250 : 100), title)
        t.ok(status >= 400 && status < 500, `${title}: ${status}`)
        if (place.startsWith('a name')) t.match(body.error, { code: 'form_malformed' }, title)
        if (place.startsWith('a name') || place === 'a search')
          t.match(body.error.message, /at most 1000/, title)
      }
  })
