// The conduct receipt: who the job said it was, what it was allowed, how fast it asked whom.
import { count, rate } from '../../format.ts'
import { useLoad, useSession } from '../../hooks.ts'
import { Badge, Card, Empty, Facts, Loading, Problem, Time } from '../../ui/parts.tsx'

export function ConductTab({ jobId }: { jobId: string }) {
  const { client } = useSession()
  const { value, problem, reload } = useLoad(() => client.jobs.conduct(jobId), [client, jobId])
  if (problem && !value) return <Problem message={problem} retry={reload} />
  if (!value) return <Loading />
  const { robots, browser, consents, hosts } = value
  const facts = [
    { name: 'User agent', value: <code>{value.userAgent ?? 'the service’s'}</code> },
    {
      name: 'robots.txt',
      value:
        robots.policy === 'ignore' ? <Badge tone="warn">ignored</Badge> : <Badge tone="ok">obeyed</Badge>,
    },
    { name: 'Left alone by robots.txt', value: count(robots.disallowed) },
    { name: 'robots.txt not to be had', value: count(robots.unreachable) },
    {
      name: 'Stealth',
      value: browser.stealth ? <Badge tone="warn">used</Badge> : <Badge tone="ok">not used</Badge>,
    },
    { name: 'Pages by browser', value: `${count(browser.pages)} (${browser.mode})` },
    { name: 'Personal data', value: { keep: 'kept', mask: 'masked', drop: 'left out' }[value.personalData] },
    { name: 'Ended by do-not-crawl lists', value: count(value.denied) },
    { name: 'Given up when throttled', value: count(value.throttled) },
  ]
  return (
    <div class="grid">
      <Card title="Conduct receipt">
        <Facts facts={facts} />
      </Card>
      <div class="stack">
        <Card title="Allowed beyond the polite defaults" isFlush>
          {consents.length === 0 ? (
            <Empty icon="shield" title="Nothing">
              The job kept to the defaults.
            </Empty>
          ) : (
            <table>
              <tbody>
                {consents.map(({ what, value, who, at }) => (
                  <tr key={`${what}${at}`}>
                    <td>
                      {what}: {value}
                      <div class="muted">by {who}</div>
                    </td>
                    <td class="number">
                      <Time at={at} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </Card>
        <Card title="Pace at each host" hint="requests per second, from the first to the last" isFlush>
          {hosts.length === 0 ? (
            <Empty icon="hosts" title="No host was asked yet" />
          ) : (
            <div class="scroll-x">
              <table>
                <thead>
                  <tr>
                    <th>Host</th>
                    <th class="number">Requests</th>
                    <th class="number">Achieved</th>
                    <th class="number">Last</th>
                  </tr>
                </thead>
                <tbody>
                  {hosts.map(({ host, requests, achievedRate, lastAt }) => (
                    <tr key={host}>
                      <td class="wrap">{host}</td>
                      <td class="number">{count(requests)}</td>
                      <td class="number">{achievedRate === null ? '–' : rate(achievedRate)}</td>
                      <td class="number">
                        <Time at={lastAt} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
        </Card>
        <Card title="robots.txt files" isFlush>
          {robots.files.length === 0 ? (
            <Empty icon="book" title="None was read" />
          ) : (
            <table>
              <tbody>
                {robots.files.map(({ origin, verdict, fetchedAt }) => (
                  <tr key={origin}>
                    <td class="wrap">{origin}/robots.txt</td>
                    <td>
                      <Badge tone={verdict === 'unreachable' ? 'bad' : 'ok'}>{verdict}</Badge>
                    </td>
                    <td class="number">
                      <Time at={fetchedAt} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </Card>
      </div>
    </div>
  )
}
