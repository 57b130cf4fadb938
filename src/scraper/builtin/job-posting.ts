// job_posting: an open position; JSON-LD JobPosting first, then microdata, then what such pages usually look like.
import * as z from 'zod'
import type { Json } from '../../model/record.ts'
import { jobPostingResult } from '../../model/target-schemas.ts'
import { defineScraper } from '../define-scraper.ts'
import type { Normalizers } from '../normalizers.ts'
import { labelled } from './labelled.ts'
import { css, meta, pick, recordOf, textOf, things } from './pick.ts'

const posting = ['JobPosting']
const titles = [
  '.job-title',
  '.posting-title',
  '.position-title',
  '[data-testid="job-title"]',
  'main h1',
  'h1',
]
const companies = ['.company-name', '.company', '.employer', '.hiring-organization']
const places = ['.job-location', '.location', '.where', '[data-testid="job-location"]']
const salaries = ['.salary', '.compensation', '.job-salary', '[data-testid="salary"]']
const descriptions = ['.job-description', '#job-description', '.description', 'article', 'main']

export const jobPosting = defineScraper({
  id: 'job_posting',
  version: '1',
  name: 'Job posting',
  description: 'An open position: title, company, location, salary and description.',
  input: z.object({ url: z.url() }),
  output: jobPostingResult,
  async run({ open, emit, normalize }) {
    const page = await open()
    const text = (found: Json) => normalize.text(textOf(found))
    const [record, sources] = recordOf({
      job_title: pick(text, things(page, posting, 'title'), css(page, ...titles), meta(page, 'og:title')),
      company_name: pick(
        text,
        things(page, posting, 'hiringOrganization'),
        css(page, ...companies),
        labelled(page, /^(company|employer|organi[sz]ation|unternehmen|arbeitgeber)$/i),
        meta(page, 'og:site_name'),
      ),
      location: pick(
        normalize.location,
        things(page, posting, 'jobLocation'),
        things(page, posting, 'applicantLocationRequirements'),
        css(page, ...places),
        labelled(page, /^(location|place of work|city|standort|arbeitsort)$/i),
      ),
      salary_range: pick(
        found => salaryText(found, normalize),
        things(page, posting, 'baseSalary'),
        things(page, posting, 'estimatedSalary'),
        css(page, ...salaries),
        labelled(page, /^(salary|salary range|compensation|pay|gehalt)$/i),
      ),
      description: pick(
        text,
        things(page, posting, 'description'),
        css(page, ...descriptions),
        meta(page, 'og:description', 'description'),
      ),
    })
    emit(record, sources)
  },
  validate: ([record]) =>
    record?.job_title || record?.description
      ? null
      : 'neither a job title nor a description was found; this is no job posting',
})

/** `EUR 60000-80000 per year`; text that a page shows stays as it is shown. */
function salaryText(found: Json, normalize: Normalizers): string | null {
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return normalize.text(found)
  const amount = found.value ?? found
  const range = rangeText(amount, normalize)
  if (range === null) return null
  const inner = typeof amount === 'object' && !Array.isArray(amount) ? amount : null
  const currency = normalize.text(found.currency ?? inner?.currency ?? null)
  const unit = normalize.text(inner?.unitText ?? found.unitText ?? null)
  return [currency, range, unit && `per ${unit.toLowerCase()}`].filter(Boolean).join(' ')
}

function rangeText(amount: Json, normalize: Normalizers): string | null {
  if (typeof amount !== 'object' || amount === null || Array.isArray(amount))
    return amountText(amount, normalize)
  const least = amountText(amount.minValue ?? amount.value ?? null, normalize)
  const most = amountText(amount.maxValue ?? null, normalize)
  if (least && most && least !== most) return `${least}-${most}`
  return least ?? most
}

const amountText = (value: Json, normalize: Normalizers): string | null => {
  const amount = normalize.number(value)
  return amount === null || amount <= 0 ? null : String(amount)
}
