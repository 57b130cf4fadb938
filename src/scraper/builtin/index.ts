// The built-in scrapers.
import type { Scraper } from '../define-scraper.ts'
import { article } from './article.ts'
import { companyWebsite } from './company-website.ts'
import { exampleHttp } from './example-http.ts'
import { exampleMock } from './example-mock.ts'
import { jobPosting } from './job-posting.ts'
import { linkedinProfile } from './linkedin-profile.ts'
import { maricopaAz } from './maricopa-az.ts'
import { page } from './page.ts'
import { product } from './product.ts'

/** The first scraper is the default. */
export const builtinScrapers: readonly Scraper[] = [
  page,
  article,
  product,
  companyWebsite,
  jobPosting,
  linkedinProfile,
  maricopaAz,
  exampleHttp,
  exampleMock,
]
