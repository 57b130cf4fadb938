// The result of one check, page by page: changes in text and fields, always shown as text.
import { useState } from 'preact/hooks'
import type { FieldChange, MonitorCheckInFull, PageChange } from '../../api.ts'
import { cell, count, several } from '../../format.ts'
import { useLoad, useSession } from '../../hooks.ts'
import { to } from '../../router.ts'
import { Badge, Button, Card, Empty, Loading, Problem, Stat, Time, WebLink } from '../../ui/parts.tsx'
import { statuses, statusTones } from './counts.tsx'

const shownAtOnce = 50

export function CheckInFull({ monitorId, jobId }: { monitorId: string; jobId: string }) {
  const { client } = useSession()
  const { value, problem, reload } = useLoad(
    () => client.monitors.check(monitorId, jobId),
    [client, monitorId, jobId],
  )
  if (problem) return <Problem message={problem} retry={reload} />
  if (!value)
    return (
      <Card title="What it found">
        <Loading rows={2} />
      </Card>
    )
  return (
    <>
      <div class="stats">
        {statuses.map(status => (
          <Stat
            key={status}
            name={`${status[0]!.toUpperCase()}${status.slice(1)}`}
            value={count(value.counts[status])}
            {...(status === 'removed' && value.counts.removed > 0 && { tone: 'bad' as const })}
          />
        ))}
      </div>
      <Card title="What it found" hint={<Against check={value} />} isFlush>
        <Pages check={value} />
      </Card>
    </>
  )
}

const Against = ({ check: { jobId, at, against } }: { check: MonitorCheckInFull }) => (
  <>
    <a href={to(['jobs', jobId])}>{jobId}</a> (<Time at={at} />){' '}
    {against ? (
      <>
        against <a href={to(['jobs', against])}>{against}</a>
      </>
    ) : (
      'is the first, so there is no earlier check to compare with'
    )}
  </>
)

function Pages({ check: { pages, counts, isCut } }: { check: MonitorCheckInFull }) {
  const [most, setMost] = useState(shownAtOnce)
  if (pages.length === 0)
    return (
      <Empty icon="shield" title="Nothing changed">
        {several(counts.same, 'page')} unchanged.
      </Empty>
    )
  // The pages are sorted by status. Changed pages come first.
  const ordered = statuses.flatMap(status => pages.filter(page => page.status === status))
  return (
    <>
      <ul class="changes" aria-label="Pages">
        {ordered.slice(0, most).map(page => (
          <PageFound key={`${page.status} ${page.url}`} page={page} />
        ))}
      </ul>
      <p class="changes-foot">
        {counts.same > 0 && `${several(counts.same, 'page')} unchanged. `}
        {isCut && 'There were more changes than are listed. '}
        {ordered.length > most && (
          <Button isSmall onClick={() => setMost(most + shownAtOnce)}>
            Show more ({count(ordered.length - most)} left)
          </Button>
        )}
      </p>
    </>
  )
}

const PageFound = ({ page: { url, status, title, diff, fields, reason } }: { page: PageChange }) => {
  // For a page without rules, the markdown is the text, which the diff already shows.
  const named = fields.filter(({ field }) => field !== 'markdown')
  return (
    <li>
      <div class="change-head">
        <Badge tone={statusTones[status]}>{status}</Badge>
        <span class="change-name">
          <WebLink url={url} />
          {title && <small class="muted">{title}</small>}
        </span>
      </div>
      {reason && <p class="muted">{reason}</p>}
      {named.length > 0 && <FieldDiff fields={named} />}
      {diff && <TextDiff diff={diff} url={url} />}
    </li>
  )
}

const FieldDiff = ({ fields }: { fields: readonly FieldChange[] }) => (
  <div class="diff">
    {fields.map(({ field, before, after }) => (
      <div key={field}>
        <b>{field}</b> <del>{cut(cell(before))}</del> <ins>{cut(cell(after))}</ins>
      </div>
    ))}
  </div>
)

/** Number of header lines in a diff: `--- before` and `+++ after`. */
const headLines = 2

const TextDiff = ({ diff, url }: { diff: string; url: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the user must be able to scroll it by keyboard
  <section class="code diff" tabIndex={0} aria-label={`Text that changed on ${url}`}>
    <pre>
      {diff
        .replace(/\n$/, '')
        .split('\n')
        .map((line, index) => (
          <Line key={index} line={line} isHead={index < headLines} />
        ))}
    </pre>
  </section>
)

function Line({ line, isHead }: { line: string; isHead: boolean }) {
  const text = `${line}\n`
  if (isHead) return <span class="muted">{text}</span>
  if (line.startsWith('+')) return <ins>{text}</ins>
  if (line.startsWith('-')) return <del>{text}</del>
  return <span>{text}</span>
}

const cut = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}…` : text || '–')
