// One host: its pace, robots.txt, breaker and errors, with controls to pause it and to set its policy.
import { useState } from 'preact/hooks'
import { mapKeys, snake } from '../../../../src/model/letter-case.ts'
import { ApiError, type HostShown } from '../../api.ts'
import { count, moment, percent, span } from '../../format.ts'
import { useAct, useEvery, useLoad, useSession } from '../../hooks.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Badge, Button, Card, Code, Empty, Facts, Problem, Stat, TextField, Time } from '../../ui/parts.tsx'
import { ShortTable } from '../../ui/tables.tsx'
import { hostWords, paceWords, waitWords } from '../hosts.tsx'

export function HostPage({ host }: { host: string }) {
  const { client } = useSession()
  const did = useAct()
  const { value, problem, reload, set } = useLoad(
    () =>
      client.hosts
        .get(host)
        .catch(error => (error instanceof ApiError && error.status === 404 ? null : Promise.reject(error))),
    [client, host],
  )
  const [isSetting, setSetting] = useState(false)
  const [isPausing, setPausing] = useState(false)
  useEvery(3_000, reload)
  const act = async (done: string, action: () => Promise<HostShown>) => {
    const changed = await did(done, action)
    if (changed) set(() => changed)
  }
  return (
    <>
      <PageHead
        crumbs={[['Hosts', '#/hosts']]}
        title={host}
        badges={value && <Badge state={hostWords(value)} />}
        sub={value && `The next request waits for ${waitWords(value)}.`}
      >
        {value?.paused ? (
          <Button
            kind="primary"
            icon="play"
            onClick={() => act(`Requests to ${host} continue.`, () => client.hosts.resume(host))}
          >
            Resume
          </Button>
        ) : (
          <Button icon="pause" onClick={() => setPausing(true)}>
            Pause
          </Button>
        )}
        <Button icon="sliders" onClick={() => setSetting(true)}>
          Set policy
        </Button>
      </PageHead>
      {problem && <Problem message={problem} retry={reload} />}
      {value ? <HostFacts host={value} act={act} /> : !problem && <Unknown host={host} />}
      {isPausing && (
        <PauseDialog
          host={host}
          onClose={() => setPausing(false)}
          onPause={reason =>
            act(`${host} gets no more requests.`, () => client.hosts.pause(host, reason ? { reason } : {}))
          }
        />
      )}
      {isSetting && (
        <PolicyDialog
          host={value}
          name={host}
          onClose={() => setSetting(false)}
          onSet={policy =>
            act('The policy applies from now on.', () => client.hosts.setPolicy(host, policy as never))
          }
        />
      )}
    </>
  )
}

const Unknown = ({ host }: { host: string }) => (
  <Card>
    <Empty icon="hosts" title={`${host} has had no requests`}>
      You can set a pause or a policy now. It applies to the first job that requests this host.
    </Empty>
  </Card>
)

type Act = (done: string, action: () => Promise<HostShown>) => Promise<void>

function HostFacts({ host, act }: { host: HostShown; act: Act }) {
  const { client } = useSession()
  const { breaker, policySet, paused } = host
  return (
    <>
      <div class="stats">
        <Stat
          name="Pace now"
          value={paceWords(host.rateNow)}
          note={host.rateFactor < 1 ? `${Math.round(host.rateFactor * 100)} % of its rate` : 'full rate'}
        />
        <Stat name="Requests" value={count(host.requests)} note={`${count(host.inFlight)} in flight`} />
        <Stat
          name="Failed"
          value={percent(host.failures, host.requests)}
          note={`${count(host.failures)} requests`}
          {...(host.failures > 0 && { tone: 'bad' as const })}
        />
        <Stat
          name="Crawl delay"
          value={host.crawlDelayMs === null ? 'none' : span(host.crawlDelayMs)}
          note="of robots.txt"
        />
        <Stat
          name="Breaker"
          value={breaker.state.replace('_', ' ')}
          note={breaker.until ? <Time at={breaker.until} isFuture /> : 'lets requests through'}
          {...(breaker.state !== 'closed' && { tone: 'bad' as const })}
        />
      </div>
      {host.denied && <div class="note warn">{host.denied}</div>}
      {paused && (
        <div class="note warn">
          Paused by {paused.by} {paused.until ? `until ${moment(paused.until)}` : 'until it is resumed'}
          {paused.reason && `: ${paused.reason}`}
        </div>
      )}
      <div class="grid">
        <Card title="Last errors" isFlush>
          {host.lastErrors.length === 0 ? (
            <Empty icon="shield" title="No errors">
              Since the service was started.
            </Empty>
          ) : (
            <ShortTable
              isHeadless
              columns={errorColumns}
              rows={host.lastErrors}
              keyOf={error => String(host.lastErrors.indexOf(error))}
            />
          )}
        </Card>
        <div class="stack">
          <Card title="robots.txt" isFlush>
            {host.robots.length === 0 ? (
              <Empty icon="book" title="robots.txt was not read yet" />
            ) : (
              host.robots.map(robots => (
                <div class="card-body" key={robots.origin}>
                  <Facts
                    facts={[
                      { name: 'Of', value: robots.origin },
                      {
                        name: 'Verdict',
                        value: (
                          <Badge tone={robots.verdict === 'unreachable' ? 'bad' : 'ok'}>
                            {robots.verdict}
                          </Badge>
                        ),
                      },
                      {
                        name: 'Front page',
                        value: robots.frontPage
                          ? robots.frontPage.allowed
                            ? 'allowed'
                            : `disallowed by ${robots.frontPage.rule}`
                          : '–',
                      },
                      { name: 'Read', value: <Time at={robots.fetchedAt} /> },
                      { name: 'Read again', value: <Time at={robots.expiresAt} isFuture /> },
                    ]}
                  />
                </div>
              ))
            )}
          </Card>
          <Card
            title="Policy in force"
            hint={policySet ? `set by ${policySet.by}` : 'from the policy file and the defaults'}
            actions={
              policySet && (
                <Button
                  isSmall
                  onClick={() =>
                    act('The policy of the file applies again.', () =>
                      client.hosts.setPolicy(host.host, null),
                    )
                  }
                >
                  Remove
                </Button>
              )
            }
          >
            <Code label="Policy" text={JSON.stringify(mapKeys(host.policy, snake), null, 2)} />
          </Card>
        </div>
      </div>
    </>
  )
}

type HostError = HostShown['lastErrors'][number]

const errorColumns = [
  {
    name: 'Error',
    isLong: true,
    show: ({ code, message }: HostError) => (
      <>
        <b>{code}</b>
        <div class="muted">{message}</div>
      </>
    ),
  },
  { name: 'When', isNumber: true, show: ({ at }: HostError) => <Time at={at} /> },
]

function PauseDialog({
  host,
  onPause,
  onClose,
}: {
  host: string
  onPause: (reason: string) => Promise<void>
  onClose: () => void
}) {
  const [reason, setReason] = useState('')
  const pause = async () => {
    await onPause(reason.trim())
    onClose()
  }
  return (
    <Dialog title={`Pause ${host}`} onClose={onClose}>
      <div class="dialog-body">
        <p class="muted">
          No job sends requests to this host until you resume it. Its tasks wait; nothing is lost.
        </p>
        <TextField label="Why" value={reason} onInput={setReason} placeholder="the owner asked us to wait" />
      </div>
      <footer class="dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" onClick={pause}>
          Pause
        </Button>
      </footer>
    </Dialog>
  )
}

interface PolicyProps {
  host: HostShown | null
  name: string
  onSet: (policy: Record<string, unknown>) => Promise<void>
  onClose: () => void
}

function PolicyDialog({ host, name, onSet, onClose }: PolicyProps) {
  const now = host?.policySet?.policy ?? {}
  const [rate, setRate] = useState(String(now.rate ?? ''))
  const [concurrency, setConcurrency] = useState(String(now.concurrency ?? ''))
  const policy = {
    ...now,
    ...(rate.trim() && { rate: rate.trim() === 'unlimited' ? 'unlimited' : Number(rate) }),
    ...(concurrency.trim() && { concurrency: Number(concurrency) }),
  }
  const save = async () => {
    await onSet(policy)
    onClose()
  }
  return (
    <Dialog title={`Policy for ${name}`} onClose={onClose}>
      <div class="dialog-body">
        <p class="muted">
          Overrides the domain policy file at once, also for running jobs. Jobs can only be stricter.
        </p>
        <div class="fields">
          <TextField label="Requests per second" value={rate} onInput={setRate} placeholder="unchanged" />
          <TextField
            label="Maximum requests in flight"
            type="number"
            min={1}
            value={concurrency}
            onInput={setConcurrency}
            placeholder="unchanged"
          />
        </div>
      </div>
      <footer class="dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" disabled={Object.keys(policy).length === 0} onClick={save}>
          Set
        </Button>
      </footer>
    </Dialog>
  )
}
