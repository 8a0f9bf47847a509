/** The API keys, and making one for an Account. */
import { useSignal } from '@preact/signals'
import { act } from '../../app/command.js'
import { useResource } from '../../app/resource.js'
import { hrefOf } from '../../app/route.js'
import { copy } from '../../components/copy.js'
import { SelectField } from '../../components/fields.js'
import { Loaded } from '../../components/states.js'
import { api } from '../../control/client.js'

export function Keys() {
  const resource = useResource(() => Promise.all([api.keys(), api.state()]))
  const chosen = useSignal('')
  return (
    <Loaded resource={resource}>
      {([{ data }, { accounts }]) => {
        const account = chosen.value || (accounts[0]?.id ?? '')
        const make = () =>
          act(
            () => api.addKey(account),
            ({ key }) => `${key} acts as ${account}.`
          )
        return (
          <div class="api-keys">
            <table>
              <thead>
                <tr>
                  <th scope="col">Key</th>
                  <th scope="col">Acts as</th>
                  <th scope="col">
                    <span class="hidden">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {data.map(({ key, account: owner }) => (
                  <tr key={key}>
                    <td>
                      <code>{key}</code>
                    </td>
                    <td>
                      <a href={hrefOf({ path: ['accounts', owner] })}>{owner}</a>
                    </td>
                    <td>
                      <button type="button" class="small" aria-label={`Copy ${key}`} onClick={() => void copy(key, 'key')}>
                        Copy
                      </button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
            {accounts.length > 0 && (
              <div class="row">
                <SelectField
                  label="A new key that acts as"
                  value={account}
                  options={accounts.map(({ id, name }) => [id, `${id}, ${name}`])}
                  onChange={id => {
                    chosen.value = id
                  }}
                />
                <button type="button" class="primary" onClick={() => void make()}>
                  Make key
                </button>
              </div>
            )}
          </div>
        )
      }}
    </Loaded>
  )
}
