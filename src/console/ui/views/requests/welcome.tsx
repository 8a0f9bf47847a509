/** What is shown before the first request. */
import { useResource } from '../../app/resource.js'
import { hrefOf } from '../../app/route.js'
import { CodeBlock } from '../../components/code.js'
import { ButtonLink } from '../../components/controls.js'
import { Card } from '../../components/layout.js'
import { apiOf, control } from '../../control/client.js'

export function Welcome() {
  const base = `${location.origin}${apiOf()}`
  const key = useResource(() => control('GET /keys'), '', { once: true }).data?.data[0]?.key
  return (
    <section class="page">
      <div class="state welcome">
        <p class="title">An emulator of the Commerce Service, a payments API.</p>
        <p>Waiting for the first request. It appears here as it arrives.</p>
        <div class="cards">
          <Card id="welcome-send" title="Send a request">
            <p>
              Point your client at <code>{base}</code>, or try it from a terminal.
            </p>
            <CodeBlock
              text={`curl ${base}/tickets${key === undefined ? '' : ` -u ${key}:`}`}
              label="curl"
            />
          </Card>
          <Card id="welcome-load" title="Load a scenario">
            <p>Start with prepared records, outages or declined cards.</p>
            <p>
              <ButtonLink
                icon="scenario"
                text="Open the library"
                href={hrefOf({ view: 'scenario', path: ['library'] })}
              />
            </p>
          </Card>
          <Card id="welcome-run" title="Run your tests">
            <p>Runs them against a fresh emulator, and reports what they cover.</p>
            <CodeBlock text="npx commerce-emulator exec -- npm test" label="command" />
          </Card>
        </div>
      </div>
    </section>
  )
}
