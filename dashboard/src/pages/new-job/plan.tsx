// The plan of a job: pages, time at the polite rate, browsers, bytes and cost.
import type { JobPlan, NewJob } from '../../api.ts'
import { bytes, count, percent, rate, several, span } from '../../format.ts'
import { useLoad, useSession } from '../../hooks.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Button, Facts, Loading, Problem, Stat } from '../../ui/parts.tsx'

interface PlanDialogProps {
  job: NewJob
  /** The label of the button that starts the job. */
  action: string
  onStart: () => Promise<void>
  onClose: () => void
}

export function PlanDialog({ job, action, onStart, onClose }: PlanDialogProps) {
  const { client } = useSession()
  const { value, problem, isLoading, reload } = useLoad(() => client.plan(job), [client])
  return (
    <Dialog title="Plan" onClose={onClose}>
      <div class="dialog-body">
        {problem && <Problem message={problem} retry={reload} />}
        {isLoading && (
          <>
            <p class="muted">
              Checking robots.txt, sitemaps and a few pages at the polite rate. This takes up to half a
              minute.
            </p>
            <Loading />
          </>
        )}
        {value && !isLoading && <Plan plan={value} />}
      </div>
      <footer class="dialog-foot">
        <Button onClick={onClose}>Change it</Button>
        <Button kind="primary" icon="play" disabled={!value || isLoading} onClick={onStart}>
          {action}
        </Button>
      </footer>
    </Dialog>
  )
}

const unknown = 'unknown'

function Plan({ plan }: { plan: JobPlan }) {
  const { pages, estimate, sample, hosts, asked, notes } = plan
  const seconds = estimate.seconds ?? null
  return (
    <>
      <div class="stats">
        <Stat name="Pages" value={pages.count === null ? '?' : count(pages.count)} note={pages.basis} />
        <Stat name="Time" value={seconds === null ? '?' : span(seconds * 1_000)} note={estimate.why} />
        <Stat
          name="Data"
          value={estimate.bytes === null ? '?' : bytes(estimate.bytes)}
          note={`${bytes(sample.bytesPerPage)} a page`}
        />
      </div>
      <Facts
        facts={[
          {
            name: 'Sampled',
            value: `${several(sample.pages, 'page')}, ${percent(sample.ok, sample.pages)} fine${failureWords(sample.failures)}`,
          },
          { name: 'Disallowed', value: `${several(pages.disallowed, 'page')} by robots.txt` },
          {
            name: 'Browser',
            value:
              estimate.browserPages === null
                ? unknown
                : `${several(estimate.browserPages, 'page')}${sample.whyBrowser ? `: ${sample.whyBrowser}` : ''}`,
          },
          { name: 'Money', value: estimate.money === null ? 'no prices are set' : count(estimate.money) },
          { name: 'Requested', value: several(asked.length, 'request') },
          ...hosts.slice(0, 5).map(host => ({
            name: host.host,
            value: `${several(host.pages, 'page')} at ${host.rate === 'unlimited' ? 'no limit' : rate(host.rate)}, robots.txt ${host.robots}`,
          })),
        ]}
      />
      {notes.map(note => (
        <div key={note} class="note">
          {note}
        </div>
      ))}
    </>
  )
}

function failureWords(failures: Record<string, number>): string {
  const words = Object.entries(failures).map(([reason, times]) => `${times} ${reason}`)
  return words.length === 0 ? '' : ` (${words.join(', ')})`
}
