// Messages of a monitor for people: a Slack message and an e-mail.
import type { Job } from '../../../model/job.ts'
import type { Check, PageChange } from '../../../model/monitor.ts'

/** Maximum number of pages that a message lists. Further pages are only counted. */
const mostPages = 10
const longestField = 200

export const mailUrl = (addresses: readonly string[]): string =>
  `mailto:${addresses.map(encodeURIComponent).join(',')}`

/** A Slack message. Its control characters are escaped, so that page text cannot become a link or a mention. */
export const slackBody = (_job: Job, check: Check, name: string): string =>
  JSON.stringify({
    text: [`*${slackText(headline(check, name))}*`, ...linesOf(check).map(slackText)].join('\n'),
  })

const slackText = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[*_~`]/g, '\u200b$&')
    // Mattermost and Discord turn `@all` and `[text](url)` in plain text into a mention and a link. An invisible space prevents that.
    .replaceAll(/@(?=\w)|\](?=\()/g, '$&\u200b')

export const mailBody = (_job: Job, check: Check, name: string): string =>
  JSON.stringify({
    subject: headline(check, name),
    text: [headline(check, name), '', ...linesOf(check)].join('\n'),
  })

function headline({ counts }: Check, name: string): string {
  const found = (['new', 'changed', 'removed', 'error'] as const)
    .filter(status => counts[status] > 0)
    .map(status => `${counts[status]} ${status}`)
  return `${oneLine(name)}: ${found.length === 0 ? 'no changes' : found.join(', ')}`
}

function linesOf({ changes }: Check): string[] {
  const lines = changes.slice(0, mostPages).flatMap(pageLines)
  const more = changes.length - mostPages
  return more > 0 ? [...lines, `… and ${more} more`] : lines
}

const pageLines = ({ status, url, fields, reason }: PageChange): string[] => [
  `${status}: ${url}${reason === null ? '' : ` (${oneLine(reason)})`}`,
  ...fields.map(({ field, before, after }) => `  ${shown(field)}: ${shown(before)} → ${shown(after)}`),
]

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none')
  return oneLine(text.length > longestField ? `${text.slice(0, longestField)}…` : text)
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
