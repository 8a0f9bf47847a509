/** The shop under test: one page, and the address of the API that it calls. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const page = readFileSync(new URL('index.html', import.meta.url))
const config = JSON.stringify({
  commerceUrl: process.env.SHOP_COMMERCE_URL ?? 'https://commerce.example/next'
})

createServer(({ url }, response) => {
  const [type, body] =
    url === '/config.json' ? ['application/json', config] : ['text/html; charset=utf-8', page]
  response.writeHead(200, { 'content-type': type }).end(body)
}).listen(Number(process.argv[2]))
