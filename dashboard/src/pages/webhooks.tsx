// Webhooks: their content, every delivery attempt, and their replay.
import { useState } from 'preact/hooks'
import type { WebhookInFull, WebhookShown } from '../api.ts'
import { moment, span } from '../format.ts'
import { useAct, useEvery, useListing, useLoad, useSession } from '../hooks.ts'
import { to } from '../router.ts'
import type { Tone } from '../state-words.ts'
import { Dialog } from '../ui/dialog.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Badge, Button, Card, Code, Empty, Facts, Loading, Problem, Time } from '../ui/parts.tsx'
import { Listed, ShortTable } from '../ui/tables.tsx'
import type { Column } from '../virtual-list.tsx'

const tones: Record<string, Tone> = { delivered: 'ok', pending: 'info', dead: 'bad', sending: 'info' }
const states = ['', 'pending', 'delivered', 'dead'] as const
const stateWords = { '': 'All', pending: 'Pending', delivered: 'Delivered', dead: 'Given up' }

export default function WebhooksPage() {
  const { client, may, account } = useSession()
  const did = useAct()
  const [state, setState] = useState<(typeof states)[number]>('')
  const webhooks = useListing(() => client.webhooks.list(state ? { state } : {}), [client, state])
  const [open, setOpen] = useState<string | null>(null)
  const renew = (now: WebhookShown) =>
    webhooks.change(all => all.map(each => (each.webhookId === now.webhookId ? now : each)))
  const replay = async (webhookId: string) => {
    const now = await did('The webhook is sent again.', () => client.webhooks.replay(webhookId))
    if (now) renew(now)
  }
  // Reloads webhooks until they are delivered.
  useEvery(
    3_000,
    () => {
      // A failed reload is ignored, because the next one follows soon.
      for (const { webhookId } of webhooks.entries.filter(isUnderWay).slice(0, 10))
        client.webhooks.get(webhookId).then(renew, () => {})
    },
    webhooks.entries.some(isUnderWay),
  )
  const columns: Array<Column<WebhookShown>> = [
    {
      name: 'To',
      width: 'minmax(200px, 2fr)',
      show: webhook => (
        <span class="two-lines">
          <button type="button" class="link" onClick={() => setOpen(webhook.webhookId)}>
            {webhook.url}
          </button>
          <small>{webhook.webhookId}</small>
        </span>
      ),
    },
    { name: 'Event', width: '150px', show: ({ event }) => event },
    {
      name: 'Job',
      width: 'minmax(120px, 1fr)',
      show: ({ jobId }) => <a href={to(['jobs', jobId])}>{jobId}</a>,
    },
    {
      name: 'State',
      width: '110px',
      show: webhook => <Badge tone={tones[webhook.state] ?? 'idle'}>{webhook.state}</Badge>,
    },
    { name: 'Attempts', width: '74px', isNumber: true, show: ({ attempts }) => attempts },
    { name: 'Created', width: '108px', show: ({ createdAt }) => <Time at={createdAt} /> },
    ...(may.submit
      ? [
          {
            name: 'Replay',
            width: '100px',
            show: ({ webhookId }: WebhookShown) => (
              <Button isSmall icon="again" label={`Replay ${webhookId}`} onClick={() => replay(webhookId)}>
                Replay
              </Button>
            ),
          },
        ]
      : []),
  ]
  return (
    <>
      <PageHead
        title="Webhooks"
        sub={`Messages to other servers about ended jobs. A message is sent again until it is accepted. ${account.webhooksSigned ? 'All messages are signed.' : 'Messages are not signed: the service has no SCRAPER_WEBHOOK_SECRET.'}`}
      />
      <fieldset class="chips" aria-label="Show">
        {states.map(each => (
          <button
            key={each}
            type="button"
            class="chip"
            aria-pressed={state === each}
            onClick={() => setState(each)}
          >
            {stateWords[each]}
          </button>
        ))}
      </fieldset>
      <Card isFlush>
        <Listed
          label="Webhooks"
          listing={webhooks}
          columns={columns}
          keyOf={({ webhookId }) => webhookId}
          rowHeight={54}
          minWidth="900px"
        >
          <Empty icon="bell" title={state ? 'No webhooks in this state' : 'No webhooks yet'}>
            Give a job a webhook address. Its messages and their delivery appear here.
          </Empty>
        </Listed>
      </Card>
      {open && <WebhookDialog webhookId={open} onClose={() => setOpen(null)} />}
    </>
  )
}

const isUnderWay = ({ state }: WebhookShown): boolean => state !== 'delivered' && state !== 'dead'

type Delivery = WebhookInFull['log'][number]

const logColumns = [
  { name: 'When', show: ({ at }: Delivery) => moment(at) },
  {
    name: 'Answer',
    isLong: true,
    show: ({ status, error }: Delivery) => (
      <>
        <Badge tone={status !== null && status < 300 ? 'ok' : 'bad'}>{status ?? 'none'}</Badge>{' '}
        <span class="muted">{error}</span>
      </>
    ),
  },
  { name: 'Took', isNumber: true, show: ({ durationMs }: Delivery) => span(durationMs) },
]

function WebhookDialog({ webhookId, onClose }: { webhookId: string; onClose: () => void }) {
  const { client } = useSession()
  const { value, problem, reload } = useLoad(() => client.webhooks.get(webhookId), [client, webhookId])
  useEvery(3_000, reload, value !== null && isUnderWay(value))
  return (
    <Dialog title="Delivery log" onClose={onClose}>
      <div class="dialog-body">
        {problem && <Problem message={problem} retry={reload} />}
        {!value && !problem && <Loading />}
        {value && (
          <>
            <Facts
              facts={[
                { name: 'To', value: value.url },
                { name: 'State', value: <Badge tone={tones[value.state] ?? 'idle'}>{value.state}</Badge> },
                { name: 'Next try', value: <Time at={value.nextAt} isFuture /> },
              ]}
            />
            {value.log.length === 0 ? (
              <p class="muted">Not tried yet.</p>
            ) : (
              <ShortTable
                columns={logColumns}
                rows={value.log}
                keyOf={({ attempt, at }) => `${attempt} ${at}`}
              />
            )}
            <Code label="Body" text={JSON.stringify(value.body, null, 2)} />
          </>
        )}
      </div>
    </Dialog>
  )
}
