// @ts-check
/** The console's page: shows what the control API returns, follows the calls as they come, and sends its commands. What a client sent is written as text, never as markup. */
import { callCells, coverageText, findingText, isMarked, overviewText, scriptText } from './text.js'

/** @typedef {import('./text.js').Call} Call */

/** Rows kept in the table of calls. */
const SHOWN_CALLS = 200
/** How long the page waits after a call before it reads findings, coverage and counts again. */
const REFRESH_MS = 500

const { control } = document.body.dataset
const elementOf = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id))
const scenarios = /** @type {HTMLSelectElement} */ (elementOf('scenarios'))

/**
 * Calls the control API. Errors: the message of a refusal, 409 apart, which carries a result.
 * @param {string} path
 * @param {RequestInit} [options]
 */
async function call(path, options) {
  const response = await fetch(control + path, options)
  const body = response.status === 204 ? null : await response.json()
  if (!response.ok && response.status !== 409) throw new Error(body.error.message)
  return body
}

/**
 * A new element that holds a text.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {string} text
 * @param {Partial<HTMLElementTagNameMap[Name]>} [properties]
 */
const element = (name, text, properties = {}) => Object.assign(document.createElement(name), { textContent: text }, properties)

/**
 * Fills a list, or says that there is nothing to show.
 * @param {string} id
 * @param {HTMLElement[]} items
 * @param {string} nothing
 */
const fillList = (id, items, nothing) => elementOf(id).replaceChildren(...(items.length === 0 ? [element('li', nothing)] : items))

const itemsOf = (/** @type {string[]} */ texts) => texts.map(text => element('li', text))

/** Shows an error in the page's message line. */
function showError(/** @type {unknown} */ error) {
  elementOf('message').textContent = error instanceof Error ? error.message : String(error)
}

async function showWhy(/** @type {string} */ id) {
  const response = await fetch(`${control}/requests/${id}?format=text`)
  elementOf('why').textContent = await response.text()
}

function rowOf(/** @type {Call} */ shown) {
  const row = document.createElement('tr')
  row.append(...callCells(shown).map(text => element('td', text)))
  row.classList.toggle('refused', isMarked(shown))
  row.tabIndex = 0
  const open = () => showWhy(shown.id).catch(showError)
  row.addEventListener('click', open)
  row.addEventListener('keydown', ({ key }) => (key === 'Enter' ? open() : undefined))
  return row
}

function sandboxItem(/** @type {{ name: string, control: string, requests: number }} */ { name, control: address, requests }) {
  const item = document.createElement('li')
  item.append(element('a', name, { href: address }), ` ${requests} calls`)
  return item
}

async function showState() {
  const [overview, findings, coverage, script, sandboxes] = await Promise.all(['', '/findings', '/coverage', '/script', '/sandboxes'].map(path => call(path)))
  elementOf('overview').textContent = overviewText(overview)
  elementOf('coverage').textContent = coverageText(coverage)
  fillList('findings', itemsOf(findings.data.map(findingText)), 'None.')
  fillList('script', itemsOf(script.data.map(scriptText)), 'No entries.')
  fillList('sandboxes', sandboxes.data.map(sandboxItem), 'None.')
}

async function showCalls() {
  const { data } = await call(`/requests?limit=${SHOWN_CALLS}`)
  elementOf('calls').replaceChildren(...data.map(rowOf))
}

async function showScenarios() {
  const { data } = await call('/scenarios')
  const options = data.map((/** @type {{ name: string, description: string | null }} */ { name, description }) =>
    element('option', name, { title: description ?? '' })
  )
  scenarios.replaceChildren(...options)
}

/**
 * Makes a button send a control call, after which everything is read again.
 * @param {string} id
 * @param {string} path
 * @param {() => object | undefined} bodyOf
 */
function onClick(id, path, bodyOf) {
  const send = async () => {
    const body = bodyOf()
    await call(path, { method: 'POST', ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }) })
    elementOf('message').textContent = ''
    await Promise.all([showState(), showCalls()])
  }
  elementOf(id).addEventListener('click', () => send().catch(showError))
}

/** Adds each call as it is recorded; the rest is read again soon after, once for many calls. */
function followCalls() {
  let isRefreshDue = false
  new EventSource(`${control}/events`).addEventListener('request', ({ data }) => {
    const calls = elementOf('calls')
    calls.prepend(rowOf(JSON.parse(data)))
    while (calls.children.length > SHOWN_CALLS) calls.lastElementChild?.remove()
    if (isRefreshDue) return
    isRefreshDue = true
    setTimeout(() => {
      isRefreshDue = false
      showState().catch(showError)
    }, REFRESH_MS)
  })
}

onClick('reset', '/reset', () => undefined)
onClick('load', '/load', () => ({ scenario: scenarios.value }))
onClick('advance', '/clock/advance', () => ({ by: '24h' }))
followCalls()
await Promise.all([showScenarios(), showState(), showCalls()]).catch(showError)
