// The draft of a job, and the request body that it becomes.
import type { NewJob } from '../../api.ts'

export const fieldTypes = [
  'text',
  'number',
  'integer',
  'boolean',
  'date',
  'url',
  'money',
  'email',
  'phone',
  'html',
] as const

export interface FieldDraft {
  id: number
  name: string
  css: string
  attr: string
  as: (typeof fieldTypes)[number] | ''
  many: boolean
  required: boolean
  /** Numbers of the elements that the user clicked for this field. */
  examples: number[]
}

export const emptyField = (id: number, name: string): FieldDraft => ({
  ...{ id, name, css: '', attr: '', as: '', many: false, required: false, examples: [] },
})

const sources = ['crawl', 'page', 'urls', 'sitemap', 'upload'] as const
export type Source = (typeof sources)[number]

export interface Draft {
  url: string
  source: Source
  urls: string
  uploadId: string
  depth: string
  maxPages: string
  subdomains: boolean
  domains: string
  include: string
  exclude: string
  render: 'never' | 'auto' | 'always'
  rate: string
  webhook: string
  jobId: string
  labels: string
  cron: string
  timeZone: string
  scheduleName: string
  each: string
  fields: FieldDraft[]
}

export const emptyDraft = (timeZone: string): Draft => ({
  ...{ url: '', source: 'crawl', urls: '', uploadId: '', depth: '2', maxPages: '100', subdomains: false },
  ...{ domains: '', include: '', exclude: '', render: 'never', rate: '', webhook: '', jobId: '', labels: '' },
  ...{ cron: '', timeZone, scheduleName: '', each: '', fields: [] },
})

const lines = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map(line => line.trim())
    .filter(Boolean)

export const isXPath = (selector: string): boolean => /^\s*\.?\//.test(selector)

const numberOr = (text: string): number | undefined => (text.trim() === '' ? undefined : Number(text))

/** Removes empty fields, so that the request body contains only fields that the user set. */
const said = <Value extends object>(value: Value): Value =>
  Object.fromEntries(
    Object.entries(value).filter(
      ([, entry]) =>
        entry !== undefined &&
        entry !== '' &&
        entry !== false &&
        !(Array.isArray(entry) && entry.length === 0),
    ),
  ) as Value

export type Rules = NonNullable<NewJob['extract']>

/** The extraction rules; undefined if no field has both a name and a selector. */
export function rulesOf({ fields, each }: Pick<Draft, 'fields' | 'each'>): Rules | undefined {
  const whole = fields.filter(({ name, css }) => name.trim() && css.trim())
  if (whole.length === 0) return undefined
  const rules = whole.map(({ name, css, attr, as, many, required }) => {
    const selector = isXPath(css) ? { xpath: css.trim() } : { css: css.trim() }
    const rule = said({ ...selector, attr: attr.trim(), as: as || undefined, many, required })
    return [name.trim(), Object.keys(rule).length === 1 ? css.trim() : rule] as const
  })
  return { ...(each.trim() && { each: each.trim() }), fields: Object.fromEntries(rules) }
}

export function jobOf(draft: Draft): NewJob {
  const rate = numberOr(draft.rate)
  const labels = Object.fromEntries(lines(draft.labels).map(line => line.split(/[:=]\s*(.*)/s).slice(0, 2)))
  return said({
    jobId: draft.jobId.trim(),
    ...sourceOf(draft),
    ...(draft.source === 'crawl' && followingOf(draft)),
    ...(draft.render !== 'never' && { render: draft.render }),
    ...(rate !== undefined && { policy: { host: { rate } } }),
    extract: rulesOf(draft),
    webhookUrl: draft.webhook.trim(),
    ...(Object.keys(labels).length > 0 && { labels }),
  }) as NewJob
}

function sourceOf({
  source,
  url,
  urls,
  uploadId,
}: Draft): Pick<NewJob, 'urls' | 'seedUrls' | 'sitemapUrl' | 'uploadId'> {
  if (source === 'crawl') return { seedUrls: [url] }
  if (source === 'upload') return { uploadId: uploadId.trim() }
  if (source === 'sitemap') return { sitemapUrl: url }
  return { urls: source === 'page' ? [url] : lines(urls) }
}

const followingOf = (draft: Draft) => ({
  depth: numberOr(draft.depth),
  maxPages: numberOr(draft.maxPages),
  subdomains: draft.subdomains,
  allowedDomains: lines(draft.domains),
  include: lines(draft.include),
  exclude: lines(draft.exclude),
})

export const scheduleOf = (draft: Draft) => ({
  name: draft.scheduleName.trim() || (URL.parse(draft.url)?.host ?? 'Schedule'),
  cron: draft.cron.trim(),
  timeZone: draft.timeZone,
  job: jobOf({ ...draft, jobId: '' }),
})

/** Why the draft cannot be started; null if it can. */
export function missingIn(draft: Draft): string | null {
  if (draft.source === 'urls') return lines(draft.urls).length > 0 ? null : 'Name at least one address.'
  if (draft.source === 'upload') return draft.uploadId.trim() ? null : 'Choose an upload.'
  const url = URL.parse(draft.url)
  return url?.protocol.startsWith('http') ? null : 'Paste the address of a page first.'
}
