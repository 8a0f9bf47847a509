/** A family as the API lists it, page by page: judged on a copy of the sandbox, so that journal and evidence do not change. */
import type { Cursors } from '../../../../reference/parameters.js'
import { go, hrefOf, route } from '../../app/route.js'
import { Button } from '../../components/button.js'
import { CodeBlock } from '../../components/code.js'
import { ChoiceField, TextField } from '../../components/fields.js'
import { WideTable } from '../../components/layout.js'
import { linked } from '../../components/links.js'
import { Empty, Read } from '../../components/states.js'
import { control, type Family } from '../../control/client.js'
import { listAddress, listParameters, type OpenApi, pageIn } from './list-parameters.js'
import { nameOf } from './records.js'

type Query = Readonly<Record<string, string>>
const without = (query: Query, names: readonly string[]): Query => Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)))

async function read() {
  const [openApi, { data: keys }, { settings }] = await Promise.all([
    control('GET /openapi.json') as Promise<OpenApi>,
    control('GET /keys'),
    control('GET /settings')
  ])
  return { openApi, account: keys[0]?.account ?? '', settings, cursors: settings['pagination.cursors']?.value as Cursors }
}

export const ApiList = ({ family }: { family: Family }) => <Read from={read}>{read => <Listing family={family} {...read} />}</Read>

function Listing({ family, openApi, account, settings, cursors }: Awaited<ReturnType<typeof read>> & { family: Family }) {
  const { query } = route.value
  const owner = query.account ?? account
  const [after, before] = cursors
  const path = listAddress(family, owner, without(query, ['as', 'account']))
  const targetOf = (change: Query) => ({ path: [family], query: { ...without(query, cursors), ...change } })
  const set = (name: string) => (value: string) => go(targetOf({ [name]: value }), { replace: true })
  return (
    <div class="stack">
      <div class="fields">
        {family === 'users' && <TextField label="Account" value={owner} onChange={set('account')} />}
        {listParameters(openApi, family, cursors).map(({ name, about, words }) => (
          <ChoiceField key={name} label={name} hint={about} value={query[name] ?? ''} onChange={set(name)} options={words && [['', 'any'], ...words]} />
        ))}
      </div>
      <CodeBlock text={`GET ${path}`} label="Request" />
      <Read from={() => control('POST /explain', { body: { method: 'GET', path } })} by={path}>
        {({ answer, status }) => {
          const { data, has_more, first_id, last_id, message } = pageIn(answer, settings)
          if (status >= 400) return <Empty title={`${status}: ${message}`} />
          const isFirst = first_id === null || query[after] === undefined
          const rows = data.map(record => [linked(record.id, hrefOf({ path: [family, record.id] })), nameOf(record), record.created])
          return (
            <>
              <p class="row pages">
                <Button text="Previous page" disabled={isFirst} run={() => go(targetOf({ [before]: first_id as string }))} />
                <Button text="Next page" disabled={!has_more || last_id === null} run={() => go(targetOf({ [after]: last_id as string }))} />
                <span role="status">{`${data.length} on this page, has_more ${has_more}`}</span>
              </p>
              {rows.length > 0 ? (
                <WideTable label={`${family} as the API lists them`} heads={['Id', 'Summary', 'Created']} rows={rows} />
              ) : (
                <Empty title="Nothing on this page.">{has_more && <p>search_query filters a page after it is read, so the next page can have more.</p>}</Empty>
              )}
            </>
          )
        }}
      </Read>
      <p class="hint">
        The request is made on a copy that is thrown away: it is not in the journal and does not count as evidence.{' '}
        <a href={hrefOf({ path: [family] })}>All records</a>
      </p>
    </div>
  )
}
