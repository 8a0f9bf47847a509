/** session.txt with fetch. */
import { readFileSync } from 'node:fs'

const { COMMERCE_BASE_URL, COMMERCE_API_KEY, COMMERCE_SESSION } = process.env
for (const line of readFileSync(COMMERCE_SESSION, 'utf8').trim().split('\n')) {
  const [status, key, method, path, form, wanted] = line.split('|')
  const values = new URLSearchParams(
    form.split('&').flatMap(pair => (pair === '' ? [] : [pair.split('=')]))
  )
  const answer = await fetch(`${COMMERCE_BASE_URL}${path}${method === 'GET' ? `?${values}` : ''}`, {
    method,
    headers: key ? { authorization: `Basic ${btoa(`${COMMERCE_API_KEY}:`)}` } : {},
    ...(method === 'POST' && { body: values })
  })
  const text = await answer.text()
  if (answer.status !== Number(status) || !(wanted ? text.includes(wanted) : text === ''))
    throw new Error(`${line}: ${answer.status} ${text}`)
}
console.log('session complete')
