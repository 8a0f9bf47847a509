/** What is loaded, what it expects, what has changed since, and snapshots. */
import { reset } from '../../app/command.js'
import { hrefOf } from '../../app/route.js'
import { overview } from '../../app/store.js'
import { Button, ButtonLink } from '../../components/button.js'
import { instantInWords } from '../../components/instant.js'
import { Card, Scroll } from '../../components/layout.js'
import { linked } from '../../components/links.js'
import { Read } from '../../components/states.js'
import { toast, toastError } from '../../components/toast.js'
import { type Changes, control, type Overview } from '../../control/client.js'
import { Expectations } from '../expectations.js'
import { changesInWords } from './changes-words.js'
import { loadedText } from './loaded-text.js'
import { Snapshots } from './snapshots.js'

export const Loaded = () => (
  <div class="halves">
    <div class="stack">
      {overview.value && <Present {...overview.value} />}
      <Card id="scenario-changes" title="Changed since the load">
        <Scroll class="scroll changes" label="What has changed">
          <Read from={() => control('GET /changes')} isEvidence>
            {shownChanges}
          </Read>
        </Scroll>
      </Card>
    </div>
    <Snapshots />
  </div>
)

const download = (name: string) =>
  loadedText().then(text => {
    const href = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }))
    Object.assign(document.createElement('a'), { href, download: `${name}.yaml` }).click()
    URL.revokeObjectURL(href)
    toast(`${name}.yaml is saved`)
  }, toastError)

const Present = ({ scenario: { name, description }, seed, clock }: Overview) => (
  <Card id="scenario-loaded" title={name}>
    <p>{description ?? 'No description.'}</p>
    <p class="hint">
      {`Seed ${seed}. The clock ${clock.running ? 'runs' : 'is frozen'} at ${instantInWords(clock.now)}.`}
    </p>
    <div class="row">
      <ButtonLink
        icon="scenario"
        text="View"
        href={hrefOf({ path: ['editor'], query: { from: 'loaded' } })}
      />
      <Button class="small" icon="download" text="Download" run={() => download(name)} />
      <Button class="small" icon="reset" text="Reset" label="Reset the state" run={reset} />
      <ButtonLink icon="plus" text="Load another…" href={hrefOf({ path: ['library'] })} />
    </div>
    <h3>Expectations</h3>
    <Expectations />
  </Card>
)

function shownChanges(changes: Changes) {
  const lines = changesInWords(changes)
  if (lines.length === 0) return <p class="faint">Nothing has changed.</p>
  return (
    <ul class="bullets">
      {lines.map(({ text, to }) => (
        <li key={text}>{linked(text, to && hrefOf(to))}</li>
      ))}
    </ul>
  )
}
