// company_website: the organization behind a site, and its contacts.
import * as z from 'zod'
import type { Json } from '../../model/record.ts'
import { companyWebsiteResult } from '../../model/target-schemas.ts'
import { defineScraper } from '../define-scraper.ts'
import type { Normalizers } from '../normalizers.ts'
import type { PageView } from '../page-view.ts'
import { companyPage } from './kinds.ts'
import { labelled } from './labelled.ts'
import { attribute, type Candidate, css, meta, pick, recordOf, textOf, things } from './pick.ts'

/** Organization types of schema.org, in order of preference. */
const organizations = [
  'Organization',
  'Corporation',
  'LocalBusiness',
  'OnlineBusiness',
  'OnlineStore',
  'Store',
  'ProfessionalService',
  'LegalService',
  'FinancialService',
  'MedicalOrganization',
  'EducationalOrganization',
  'NewsMediaOrganization',
  'NGO',
  'GovernmentOrganization',
  'Restaurant',
  'Hotel',
]

const reads = companyPage(organizations)

export const companyWebsite = defineScraper({
  id: 'company_website',
  version: '1',
  name: 'Company website',
  description:
    'The company behind a website: name, description, industry, size, headquarters, e-mail and phone.',
  input: z.object({ url: z.url() }),
  output: companyWebsiteResult,
  reads: { ...reads, expects: ['company_name', 'contact_email', 'contact_phone'] },
  async run({ open, emit, normalize }) {
    const page = await open()
    const [record, sources] = recordOf({
      ...aboutCompany(page, normalize),
      ...howToReach(page, normalize),
    })
    emit(record, sources)
  },
})

function aboutCompany(page: PageView, normalize: Normalizers) {
  const text = (found: Json) => normalize.text(textOf(found))
  const ifSure = <Found>(found: Found[]): Found[] => (reads.judge(page).fits === 'yes' ? found : [])
  return {
    company_name: pick(
      text,
      things(page, organizations, 'name'),
      things(page, organizations, 'legalName'),
      meta(page, 'og:site_name', 'application-name'),
      ifSure([...attribute(page, logos, 'alt'), ...titleCandidates(page)]),
    ),
    description: pick(
      text,
      things(page, organizations, 'description'),
      meta(page, 'description', 'og:description', 'twitter:description'),
      ifSure(css(page, '.about p', '#about p', 'main p')),
    ),
    industry: pick(
      text,
      things(page, organizations, 'industry'),
      labelled(page, /^(industry|industries|sector|branche)$/i),
      css(page, '.industry'),
    ),
    employee_count_range: pick(
      normalize.employeeRange,
      things(page, organizations, 'numberOfEmployees'),
      labelled(page, /^(company size|employees|number of employees|team size|headcount|staff|mitarbeiter)$/i),
    ),
  }
}

function howToReach(page: PageView, normalize: Normalizers) {
  const read = (parse: (text: unknown) => string | null) => (found: Json) => parse(textOf(found))
  return {
    headquarters: pick(
      normalize.location,
      things(page, organizations, 'address'),
      things(page, organizations, 'location'),
      labelled(page, /^(headquarters|head office|hq|main office|hauptsitz|based in)$/i),
      css(page, '.headquarters', '.hq', 'address'),
    ),
    contact_email: pick(
      read(normalize.email),
      things(page, organizations, 'email'),
      things(page, organizations, 'contactPoint.email'),
      attribute(page, 'a[href^="mailto:"]', 'href'),
      css(page, 'address', '.contact', '#contact', 'footer'),
    ),
    contact_phone: pick(
      read(normalize.phone),
      things(page, organizations, 'telephone'),
      things(page, organizations, 'contactPoint.telephone'),
      attribute(page, 'a[href^="tel:"]', 'href'),
      labelled(page, /^(phone|tel|telephone|call us|telefon)\.?$/i),
    ),
  }
}

const logos = '[class*="logo"] img[alt], img[class*="logo"][alt]'

const pageNames = /^(home|homepage|welcome|about|about us|contact|contact us|start|startseite|index)$/i

/** Company names in the page title: "About · Acme" and "Acme | Bolts since 1952" both contain Acme. */
function titleCandidates(page: PageView): Candidate[] {
  const parts = (page.text('title') ?? '').split(/\s+[|·–—-]\s+|:\s+/)
  const value = parts.find(part => part !== '' && !pageNames.test(part.trim())) ?? null
  return [{ from: 'css', by: 'title', value }]
}
