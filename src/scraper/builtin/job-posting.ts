// job_posting: an open position, from JSON-LD JobPosting, then microdata, then typical markup.
import * as z from 'zod'
import type { Json } from '../../model/record.ts'
import { jobPostingResult } from '../../model/target-schemas.ts'
import { defineScraper } from '../define-scraper.ts'
import { jobPage } from './kinds.ts'
import { labelled } from './labelled.ts'
import { css, meta, pick, recordOf, textOf, things } from './pick.ts'

const posting = ['JobPosting']
const titles = ['.job-title', '.posting-title', '.position-title', '[data-testid="job-title"]']
const companies = ['.company-name', '.company', '.employer', '.hiring-organization']
const places = ['.job-location', '.location', '.where', '[data-testid="job-location"]']
const salaries = ['.salary', '.compensation', '.job-salary', '[data-testid="salary"]']
const descriptions = ['.job-description', '#job-description']

/** Generic selectors. They are used only if other evidence says that the page is a job posting. */
const anyTitles = ['main h1', 'h1']
const anyDescriptions = ['.description', 'article', 'main']

export const jobPosting = defineScraper({
  id: 'job_posting',
  version: '1',
  name: 'Job posting',
  description: 'An open position: title, company, location, salary and description.',
  input: z.object({ url: z.url() }),
  output: jobPostingResult,
  reads: { ...jobPage, expects: ['job_title', 'description'] },
  async run({ open, emit, normalize }) {
    const page = await open()
    const text = (found: Json) => normalize.text(textOf(found))
    const ifSure = <Found>(found: Found[]): Found[] => (jobPage.judge(page).fits === 'yes' ? found : [])
    const [record, sources] = recordOf({
      job_title: pick(
        text,
        things(page, posting, 'title'),
        css(page, ...titles),
        ifSure([...css(page, ...anyTitles), ...meta(page, 'og:title')]),
      ),
      company_name: pick(
        text,
        things(page, posting, 'hiringOrganization'),
        css(page, ...companies),
        labelled(page, /^(company|employer|organi[sz]ation|unternehmen|arbeitgeber)$/i),
        ifSure(meta(page, 'og:site_name')),
      ),
      location: pick(
        normalize.location,
        things(page, posting, 'jobLocation'),
        things(page, posting, 'applicantLocationRequirements'),
        css(page, ...places),
        labelled(page, /^(location|place of work|city|standort|arbeitsort)$/i),
      ),
      salary_range: pick(
        normalize.salaryRange,
        things(page, posting, 'baseSalary'),
        things(page, posting, 'estimatedSalary'),
        css(page, ...salaries),
        labelled(page, /^(salary|salary range|compensation|pay|gehalt)$/i),
      ),
      description: pick(
        text,
        things(page, posting, 'description'),
        css(page, ...descriptions),
        ifSure([...css(page, ...anyDescriptions), ...meta(page, 'og:description', 'description')]),
      ),
    })
    emit(record, sources)
  },
})
