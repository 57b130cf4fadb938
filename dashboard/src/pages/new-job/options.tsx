// Options of a job: links to follow, request settings, schedule and notifications.
import { useSession } from '../../hooks.ts'
import { CronField } from '../../ui/cron-field.tsx'
import { Card, CheckField, SelectField, TextField } from '../../ui/parts.tsx'
import type { Draft, Source } from './draft.ts'

interface OptionsProps {
  draft: Draft
  onChange: (part: Partial<Draft>) => void
}

const sourceWords: Record<Source, string> = {
  crawl: 'Crawl from here',
  page: 'This page',
  urls: 'List of pages',
  sitemap: 'Sitemap',
  upload: 'Uploaded file',
}

const SourceChoice = ({ draft, onChange }: OptionsProps) => (
  <fieldset class="segments" aria-label="What is fetched">
    {(Object.entries(sourceWords) as Array<[Source, string]>).map(([source, words]) => (
      <button
        key={source}
        type="button"
        aria-pressed={draft.source === source}
        onClick={() => onChange({ source })}
      >
        {words}
      </button>
    ))}
  </fieldset>
)

export function Options({ draft, onChange }: OptionsProps) {
  const { account } = useSession()
  const set =
    <Name extends keyof Draft>(name: Name) =>
    (value: Draft[Name]) =>
      onChange({ [name]: value } as Partial<Draft>)
  return (
    <>
      <Card title="What is fetched">
        <SourceChoice draft={draft} onChange={onChange} />
        {draft.source === 'urls' && (
          <TextField
            label="Addresses, one per line"
            isMono
            rows={5}
            value={draft.urls}
            onInput={set('urls')}
            placeholder="https://example.com/one"
          />
        )}
        {draft.source === 'upload' && (
          <TextField
            label="Upload id"
            isMono
            value={draft.uploadId}
            onInput={set('uploadId')}
            hint={<a href="#/uploads">All uploads</a>}
          />
        )}
        {draft.source === 'crawl' && (
          <>
            <div class="fields">
              <TextField
                label="Depth"
                type="number"
                min={0}
                value={draft.depth}
                onInput={set('depth')}
                hint="links away from the start"
              />
              <TextField
                label="Pages at most"
                type="number"
                min={1}
                value={draft.maxPages}
                onInput={set('maxPages')}
              />
              <TextField
                label="Other domains"
                value={draft.domains}
                onInput={set('domains')}
                placeholder="docs.example.com"
                hint="separated by commas; the start domain is always included"
              />
            </div>
            <div class="fields">
              <TextField
                label="Only URLs like"
                isMono
                value={draft.include}
                onInput={set('include')}
                placeholder="/products/**"
              />
              <TextField
                label="No URLs like"
                isMono
                value={draft.exclude}
                onInput={set('exclude')}
                placeholder="**/login**"
              />
            </div>
            <CheckField
              label="Follow links to all subdomains"
              checked={draft.subdomains}
              onChange={set('subdomains')}
            />
          </>
        )}
      </Card>
      <Card title="How">
        <div class="fields">
          <SelectField
            label="Browser"
            value={draft.render}
            options={[
              ['never', 'Plain HTTP'],
              ['auto', 'If a page needs it'],
              ['always', 'Always'],
            ]}
            onChange={set('render')}
          />
          <TextField
            label="Requests per second"
            type="number"
            min={0}
            step="any"
            value={draft.rate}
            onInput={set('rate')}
            placeholder="1"
            hint="per host; robots.txt may set a lower rate"
          />
          <TextField
            label="Job id"
            isMono
            value={draft.jobId}
            onInput={set('jobId')}
            placeholder="assigned automatically"
          />
          <TextField label="Labels" value={draft.labels} onInput={set('labels')} placeholder="team: prices" />
        </div>
      </Card>
      <Card title="Schedule and notification" hint="both are optional">
        <div class="fields">
          <CronField cron={draft.cron} timeZone={draft.timeZone} none="Now, once" onChange={onChange} />
          {draft.cron.trim() !== '' && (
            <TextField
              label="Name of the schedule"
              value={draft.scheduleName}
              onInput={set('scheduleName')}
            />
          )}
        </div>
        <TextField
          label="Webhook"
          type="url"
          value={draft.webhook}
          onInput={set('webhook')}
          placeholder="https://hooks.example.com/scrapes"
          hint={`gets a ${account.webhooksSigned ? 'signed ' : ''}message when the job has ended`}
        />
      </Card>
    </>
  )
}
