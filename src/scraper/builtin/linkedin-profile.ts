// linkedin_profile: a person, from the markup of a public profile page.
import * as z from 'zod'
import type { Json } from '../../model/record.ts'
import { linkedInProfileResult } from '../../model/target-schemas.ts'
import { defineScraper } from '../define-scraper.ts'
import type { PageView } from '../page-view.ts'
import { profilePage } from './kinds.ts'
import { type Candidate, css, meta, pick, recordOf, textOf, things } from './pick.ts'

const person = ['Person']
const names = ['.top-card-layout__title', 'h1.top-card__title', '.text-heading-xlarge']
const headlines = ['.top-card-layout__headline', '.top-card__headline', '.text-body-medium.break-words']
const companies = [
  '[data-section="currentPositionsDetails"] .top-card-link__description',
  '.top-card-link[data-tracking-control-name*="current-company"]',
  '.experience-item__subtitle',
  '[data-section="experience"] h4',
]
const places = [
  '.top-card__subline-item',
  '.top-card-layout__first-subline .top-card__subline-item',
  '.profile-info-subheader span',
  '.text-body-small.inline.break-words',
]
const lazyParts = '[data-section="experience"], section.experience, [data-section="summary"]'
const summaries = [
  '[data-section="summary"] .core-section-container__content',
  'section.summary .core-section-container__content',
  'section.summary p',
  '#about ~ .display-flex .inline-show-more-text',
]

const reads = profilePage([...names, ...headlines].join(', '))

export const linkedinProfile = defineScraper({
  id: 'linkedin_profile',
  version: '1',
  name: 'LinkedIn profile',
  description: 'A person from a public profile page: name, headline, current company, location and summary.',
  input: z.object({ url: z.url() }),
  output: linkedInProfileResult,
  reads: { ...reads, expects: ['name'] },
  // The site is busy, so the rate is low and requests do not overlap. Experience and summary load on scroll,
  // so a browser is needed.
  policy: { host: { rate: 0.2, concurrency: 1 }, render: 'always' },
  async run({ open, emit, normalize }) {
    const shown = await open()
    const page = isWall(shown) ? shown : await shown.scrollForContent({ until: lazyParts, times: 5 })
    const text = (found: Json) => normalize.text(textOf(found))
    const [record, sources] = recordOf({
      name: pick(
        text,
        css(page, ...names),
        things(page, person, 'name'),
        titlePart(page, 0),
        reads.judge(page).fits === 'yes' ? css(page, 'main h1') : [],
      ),
      headline: pick(
        text,
        css(page, ...headlines),
        things(page, person, 'jobTitle'),
        titlePart(page, 1),
        meta(page, 'og:description'),
      ),
      current_company: pick(
        text,
        css(page, ...companies),
        things(page, person, 'worksFor'),
        titlePart(page, 2),
      ),
      location: pick(normalize.location, css(page, ...places), things(page, person, 'address')),
      summary: pick(text, css(page, ...summaries), things(page, person, 'description')),
    })
    emit(record, sources)
  },
  validate: (_records, page) =>
    page && isWall(page) ? 'the site showed a sign-in wall instead of the profile' : null,
})

/** A part of a title such as "Jane Doe - Head of Logistics - Acme | LinkedIn". */
function titlePart(page: PageView, index: number): Candidate[] {
  const title = page.meta('og:title') ?? page.text('title') ?? ''
  if (!/\|\s*LinkedIn\s*$/.test(title)) return []
  const value =
    title
      .replace(/\|\s*LinkedIn\s*$/, '')
      .split(/\s+[-–]\s+/)
      [index]?.trim() || null
  return [{ from: 'meta', by: 'title', value }]
}

const isWall = (page: PageView): boolean =>
  /\/(authwall|login|checkpoint)\b/.test(page.finalUrl) ||
  /^(sign up|log in|join|linkedin login)\b/i.test(page.text('title') ?? '')
