/** A family as the API lists it: with the API's own parameters, page by page, judged on a copy of the sandbox, so that the journal and the evidence do not change. */
import { useResource } from '../../app/resource.js'
import { go, hrefOf, route } from '../../app/route.js'
import { CodeBlock } from '../../components/code.js'
import { SelectField, TextField } from '../../components/fields.js'
import { Empty, Loaded } from '../../components/states.js'
import { VirtualTable } from '../../components/virtual-table.js'
import { api, control, type Family } from '../../control/client.js'
import { type ListParameter, listAddress, listParameters, type OpenApi } from './list-parameters.js'
import type { AnyRecord } from './records.js'
import { nameOf } from './records.js'

type Page = { data: AnyRecord[]; has_more: boolean; first_id: string | null; last_id: string | null; error?: { message: string; rule?: string } }
/** Parts of the query in the address that are not parameters of the list. */
const OWN = ['as', 'account']
const PAGING = ['starting_after', 'ending_before']

export function ApiList({ family }: { family: Family }) {
  const described = useResource(() => Promise.all([control<OpenApi>('GET /openapi.json'), api.keys()]), family)
  return (
    <Loaded resource={described}>
      {([openApi, { data: keys }]) => <Listing family={family} parameters={listParameters(openApi, family)} account={keys[0]?.account ?? ''} />}
    </Loaded>
  )
}

function Listing({ family, parameters, account }: { family: Family; parameters: readonly ListParameter[]; account: string }) {
  const { query } = route.value
  const values = Object.fromEntries(Object.entries(query).filter(([name]) => !OWN.includes(name)))
  const owner = query.account ?? account
  const path = listAddress(family, owner, values)
  const resource = useResource(() => api.explain({ method: 'GET', path }), path)
  const unpaged = Object.fromEntries(Object.entries(query).filter(([name]) => !PAGING.includes(name)))
  const set = (name: string, value: string) => go({ path: [family], query: { ...unpaged, [name]: value } }, { replace: true })
  const page = (by: string, id: string) => go({ path: [family], query: { ...unpaged, [by]: id } })
  return (
    <div class="api-list">
      <div class="parameters">
        {family === 'users' && <TextField label="Account" value={owner} onChange={value => set('account', value)} />}
        {parameters.map(({ name, about, words }) =>
          words === null ? (
            <TextField key={name} label={name} hint={about} value={query[name] ?? ''} onChange={value => set(name, value)} />
          ) : (
            <SelectField
              key={name}
              label={name}
              hint={about}
              value={query[name] ?? ''}
              options={[['', 'any'], ...words.map(word => [word, word] as const)]}
              onChange={value => set(name, value)}
            />
          )
        )}
      </div>
      <CodeBlock text={`GET ${path}`} label="Call" />
      <Loaded resource={resource}>
        {({ answer, status }) => {
          const { data, has_more, first_id, last_id, error } = answer as Page
          if (error) return <Empty title={`${status}: ${error.message}`} />
          return (
            <>
              <p class="row pages">
                <button
                  type="button"
                  disabled={first_id === null || query.starting_after === undefined}
                  onClick={() => page('ending_before', first_id as string)}
                >
                  Previous page
                </button>
                <button type="button" disabled={!has_more || last_id === null} onClick={() => page('starting_after', last_id as string)}>
                  Next page
                </button>
                <span role="status">
                  {data.length} on this page, has_more {String(has_more)}
                </span>
              </p>
              <div class="api-rows">
                <VirtualTable
                  label={`${family} as the API lists them`}
                  columns={[
                    { key: 'id', title: 'Id', width: 'minmax(7rem, 16rem)', cell: ({ id }) => id },
                    { key: 'name', title: 'What it is', width: 'minmax(7rem, 1fr)', cell: nameOf },
                    { key: 'created', title: 'Created', width: '14.5rem', isSecondary: true, cell: ({ created }) => created }
                  ]}
                  rows={data}
                  keyOf={({ id }) => id}
                  onChoose={({ id }) => go({ path: [family, id] })}
                  empty={
                    <Empty title="Nothing on this page.">
                      {has_more && <p>search_query filters a page after it was retrieved: there may be more on the next one.</p>}
                    </Empty>
                  }
                />
              </div>
            </>
          )
        }}
      </Loaded>
      <p class="hint">
        The call is judged on a copy that is thrown away: it is in no journal and counts for no evidence. <a href={hrefOf({ path: [family] })}>All records</a>
      </p>
    </div>
  )
}
