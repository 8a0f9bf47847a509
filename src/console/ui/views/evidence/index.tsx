/** Evidence: findings, coverage of the rules, and the assumptions that calls relied on. */
import { useResource } from '../../app/resource.js'
import { Json } from '../../components/code.js'
import { Loaded } from '../../components/states.js'
import { api } from '../../control/client.js'
import type { View } from '../view.js'
import './evidence.css'

function Page() {
  const resource = useResource(api.overview)
  return (
    <section class="page">
      <h1>Evidence</h1>
      <Loaded resource={resource}>{data => <Json value={data} label="Evidence" />}</Loaded>
    </section>
  )
}

export const view: View = { Page }
