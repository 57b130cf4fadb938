// Warnings about a page, record or sitemap: it was parsed, but the result looks suspicious.

/** Warning codes with their meaning. The message of a warning adds the values. */
const pageWarningCodes = {
  'archive.incomplete': 'The archive of the page lacks resources that the page loaded.',
  'content.small-share': 'The main content holds less than a twentieth of the text that readers see.',
  'content.empty': 'The page has markup but no text for readers; a script probably fills it in.',
  'content.unsettled': 'The browser stopped waiting while the page was still empty or loading.',
  'content.no-heading': 'The main content lacks the heading that the page title names.',
  'extract.no-match': 'No rule of the job finds a value on the page, or a required field is missing.',
  'feed.empty': 'The feed has no entries; the record describes the feed itself.',
  'kind.unclear':
    'The page does not declare the kind that the scraper expects; fields that the page does not state are null.',
  'personal-data.masked': 'Personal data in the record was masked, as the job or the operator asked.',
  'personal-data.dropped': 'Personal data was left out of the record, as the job or the operator asked.',
  'page.cut': 'The page exceeds a parsing limit. The record is correct but incomplete.',
  'sitemap.unusable':
    'A sitemap of the site is a web page, is empty or cannot be unpacked. The crawl continues without it.',
  'sitemap.cut':
    'A sitemap exceeds the size limit, or its end is missing. The crawl uses the URLs that were read.',
} as const
type PageWarningCode = keyof typeof pageWarningCodes

export interface PageWarning {
  code: PageWarningCode
  message: string
  /** The affected fields, if not the whole record. */
  fields?: string[]
}
