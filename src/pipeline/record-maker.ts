// What makes a job's records: its name, which the records carry, and what tells it from one that would make others.
import { hash } from 'node:crypto'
import { rulesName } from '../extract/rules/rules-name.ts'
import type { JobSpec } from '../model/job.ts'
import type { Scraper } from '../scraper/define-scraper.ts'

/** `id@version` of the scraper; rules of the job's own have their content for a version. */
export const makerName = ({ extract }: Pick<JobSpec, 'extract'>, scraper: Scraper): string =>
  extract ? rulesName(extract) : `${scraper.id}@${scraper.version}`

const named = (...keys: Array<keyof JobSpec>): string[] => keys

/** What says which pages there are, when they are asked for and where their records go, but not what is in them. */
const besideTheRecords: ReadonlySet<string> = new Set([
  ...named('jobId', 'urls', 'items', 'seedUrls', 'sitemapUrl', 'uploadId', 'urlColumn', 'policyColumn'),
  ...named('depth', 'maxPages', 'allowedDomains', 'subdomains', 'include', 'exclude', 'sitemap'),
  ...named(
    'order',
    'nofollow',
    'query',
    'dedupe',
    'maxAgeMs',
    'timeoutMs',
    'concurrency',
    'policy',
    'policyFrom',
  ),
  // Sent with the request, and compared as they are sent.
  ...named('headers', 'userAgent', 'cookiesFile'),
  ...named('results', 'output', 'webhookUrl', 'labels'),
])

/** Changes with the code as well: who is at work on a scraper does not count its version up with every try. */
export function makerPrint(spec: JobSpec, scraper: Scraper): string {
  const { rules, run, validate } = scraper
  const asked = Object.entries(spec).filter(([key]) => !besideTheRecords.has(key))
  const text = JSON.stringify([makerName(spec, scraper), asked, rules, String(run), String(validate)])
  return hash('sha256', text, 'base64url').slice(0, 22)
}
