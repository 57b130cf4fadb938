// The form for a new monitor: which pages, how often, and what to ignore.
import { useState } from 'preact/hooks'
import { type MonitorShown, messageOf, type NewMonitorInput, type Noise } from '../../api.ts'
import { zoneName } from '../../format.ts'
import { useSession } from '../../hooks.ts'
import { CronField } from '../../ui/cron-field.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Button, CheckField, Problem, TextField } from '../../ui/parts.tsx'

const noiseWords: Record<Noise, string> = {
  timestamps: 'Dates and times',
  ads: 'Advertisements',
  whitespace: 'Blanks',
  order: 'Order of lines and lists',
  numbers: 'Digits',
  case: 'Upper and lower case',
}

interface Draft {
  name: string
  urls: string
  isCrawl: boolean
  cron: string
  timeZone: string
  noise: readonly Noise[]
  lines: string
  webhook: string
  slack: string
  emails: string
}

const emptyDraft = (): Draft => ({
  ...{ name: '', urls: '', isCrawl: false, cron: '0 * * * *', timeZone: zoneName() },
  ...{ noise: ['timestamps', 'ads', 'whitespace'], lines: '', webhook: '', slack: '', emails: '' },
})

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)

const crawledAtMost = 50

function bodyOf({
  name,
  urls,
  isCrawl,
  cron,
  timeZone,
  noise,
  lines,
  webhook,
  slack,
  emails,
}: Draft): NewMonitorInput {
  const given = linesOf(urls)
  return {
    ...(name.trim() && { name: name.trim() }),
    ...(webhook.trim() && { webhookUrl: webhook.trim() }),
    ...(slack.trim() && { slackUrl: slack.trim() }),
    ...(emails.trim() && { emailTo: emails.split(/[\s,;]+/).filter(Boolean) }),
    ...{ cron: cron.trim(), timeZone: timeZone.trim() },
    job: isCrawl ? { seedUrls: given, depth: 1, maxPages: crawledAtMost } : { urls: given },
    ignore: { noise: [...noise], lines: linesOf(lines) },
  }
}

interface NewMonitorProps {
  onClose: () => void
  onMade: (monitor: MonitorShown) => void
}

export function NewMonitorDialog({ onClose, onMade }: NewMonitorProps) {
  const { client } = useSession()
  const [draft, setDraft] = useState(emptyDraft)
  const [problem, setProblem] = useState<string | null>(null)
  const change = (part: Partial<Draft>) => setDraft(before => ({ ...before, ...part }))
  const make = async () => {
    try {
      onMade(await client.monitors.create(bodyOf(draft)))
    } catch (error) {
      setProblem(messageOf(error))
    }
  }
  return (
    <Dialog title="New monitor" onClose={onClose}>
      <div class="dialog-body">
        <What draft={draft} change={change} />
        <Noises draft={draft} change={change} />
        {problem && <Problem message={problem} />}
      </div>
      <footer class="dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" disabled={linesOf(draft.urls).length === 0} onClick={make}>
          Create the monitor
        </Button>
      </footer>
    </Dialog>
  )
}

interface PartProps {
  draft: Draft
  change: (part: Partial<Draft>) => void
}

const What = ({ draft, change }: PartProps) => (
  <>
    <TextField
      label="Addresses"
      rows={3}
      isMono
      value={draft.urls}
      onInput={urls => change({ urls })}
      placeholder="https://example.com/prices"
      hint="one per line"
    />
    <CheckField
      label="Also check linked pages"
      hint={`one step, ${crawledAtMost} pages at most`}
      checked={draft.isCrawl}
      onChange={isCrawl => change({ isCrawl })}
    />
    <div class="fields">
      <TextField label="Name" value={draft.name} onInput={name => change({ name })} placeholder="Prices" />
      <CronField cron={draft.cron} timeZone={draft.timeZone} onChange={change} />
      <TextField
        label="Webhook"
        type="url"
        value={draft.webhook}
        onInput={webhook => change({ webhook })}
        placeholder="no notification"
        hint="gets every change as JSON"
      />
      <TextField
        label="Slack webhook"
        type="url"
        value={draft.slack}
        onInput={slack => change({ slack })}
        placeholder="https://hooks.slack.com/services/…"
        hint="also Mattermost and other services that accept the same body"
      />
      <TextField
        label="E-mail to"
        value={draft.emails}
        onInput={emails => change({ emails })}
        placeholder="you@example.com"
        hint="separated by commas; needs SCRAPER_SMTP_URL"
      />
    </div>
  </>
)

function Noises({ draft: { noise, lines }, change }: PartProps) {
  const toggle = (name: Noise, isOn: boolean) =>
    change({ noise: isOn ? [...noise, name] : noise.filter(other => other !== name) })
  return (
    <>
      <fieldset class="choices">
        <legend>What to ignore</legend>
        <div class="fields">
          {(Object.keys(noiseWords) as Noise[]).map(name => (
            <CheckField
              key={name}
              label={noiseWords[name]}
              checked={noise.includes(name)}
              onChange={isOn => toggle(name, isOn)}
            />
          ))}
        </div>
      </fieldset>
      <TextField
        label="Ignored lines"
        rows={2}
        value={lines}
        onInput={text => change({ lines: text })}
        placeholder="visitors online"
        hint="lines that contain one of these texts are ignored; write one text per line"
      />
    </>
  )
}
