// Output schemas of the built-in scrapers, by target type: every field exists, and is null if the page does not state it.
import * as z from 'zod'

const text = z.string().nullable().default(null)

/** A location. `raw` is its text; the other fields have the parts of the text that could be parsed. */
export const normalizedLocation = z.object({
  city: text,
  state_region: text,
  country: text,
  raw: text,
})
export type NormalizedLocation = z.infer<typeof normalizedLocation>

const location = normalizedLocation.nullable().default(null)

export const linkedInProfileResult = z.object({
  name: text,
  headline: text,
  current_company: text,
  location,
  summary: text,
})

export const companyWebsiteResult = z.object({
  company_name: text,
  description: text,
  industry: text,
  /** A range like `51-200` or `10001+`, or a single number. */
  employee_count_range: text,
  headquarters: location,
  contact_email: text,
  contact_phone: text,
})

export const jobPostingResult = z.object({
  job_title: text,
  company_name: text,
  location,
  salary_range: text,
  description: text,
})

/** The output schema of each built-in scraper, by scraper id. */
export const targetSchemas = {
  linkedin_profile: linkedInProfileResult,
  company_website: companyWebsiteResult,
  job_posting: jobPostingResult,
} as const
export type TargetType = keyof typeof targetSchemas
