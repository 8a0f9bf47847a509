/** session.txt with axios and qs, which nest objects. */
import { readFileSync } from 'node:fs'
import axios from 'axios'
import qs from 'qs'

const { COMMERCE_BASE_URL, COMMERCE_API_KEY, COMMERCE_SESSION } = process.env
for (const line of readFileSync(COMMERCE_SESSION, 'utf8').trim().split('\n')) {
  const [expected, key, method, path, form, wanted] = line.split('|')
  const values = qs.parse(form.replaceAll('+', '%2B'))
  const { status, data } = await axios.request({
    url: COMMERCE_BASE_URL + path,
    method,
    ...(key && { auth: { username: COMMERCE_API_KEY, password: '' } }),
    ...(method === 'POST'
      ? { data: qs.stringify(values) }
      : { params: values, paramsSerializer: params => qs.stringify(params) }),
    transformResponse: text => text,
    validateStatus: null
  })
  if (status !== Number(expected) || !(wanted ? data.includes(wanted) : data === ''))
    throw new Error(`${line}: ${status} ${data}`)
}
console.log('session complete')
