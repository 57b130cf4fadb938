// Generates pages of the three target types, with a JSON-LD block that has the chosen fields.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TargetType } from '../../src/model/target-schemas.ts'
import type { ScrapeApi, ShownTask } from '../support/scrape-api.ts'
import { jsonLdBlock } from '../support/scraper-run.ts'

export interface TargetPage {
  schemaType: string
  /** For each field of the record, the JSON-LD properties from which the scraper gets the field. */
  has: Record<string, Record<string, unknown>>
}

const address = { '@type': 'PostalAddress', addressLocality: 'Phoenix', addressRegion: 'AZ' }

export const targetPages: Record<TargetType, TargetPage> = {
  job_posting: {
    schemaType: 'JobPosting',
    has: {
      job_title: { title: 'Baker' },
      company_name: { hiringOrganization: { name: 'Kestrel' } },
      location: { jobLocation: { '@type': 'Place', address } },
      salary_range: { baseSalary: { currency: 'USD', value: { minValue: 10, maxValue: 20 } } },
      description: { description: 'Bakes bread.' },
    },
  },
  company_website: {
    schemaType: 'Organization',
    has: {
      company_name: { name: 'Kestrel' },
      description: { description: 'Makes lamps.' },
      industry: { industry: 'Lighting' },
      headquarters: { address },
      contact_email: { email: 'info@kestrel.example' },
      contact_phone: { telephone: '+1 602 555 0100' },
      employee_count_range: { numberOfEmployees: { minValue: 51, maxValue: 200 } },
    },
  },
  linkedin_profile: {
    schemaType: 'Person',
    has: {
      name: { name: 'Ada Example' },
      headline: { jobTitle: 'Engineer' },
      current_company: { worksFor: { name: 'Kestrel' } },
      location: { address },
      summary: { description: 'Builds engines.' },
    },
  },
}

export const targetTypes = Object.keys(targetPages) as TargetType[]

/** The page with these properties, as HTML. */
export const pageWith = (schemaType: string, properties: Record<string, unknown>): string =>
  `<!doctype html>${jsonLdBlock({ '@context': 'https://schema.org', '@type': schemaType, ...properties })}`

const hosts = 40

/** Serves each page from another loopback address, because the profile scraper requests a host only every five seconds. */
export class TargetSite implements AsyncDisposable {
  #served = 0
  readonly #pages = new Map<string, string>()
  readonly #server = createServer((request, response) => {
    const page = this.#pages.get(request.url ?? '')
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(page)
  })

  static async open(): Promise<TargetSite> {
    const site = new TargetSite()
    await new Promise<void>(resolve => site.#server.listen(0, resolve))
    return site
  }

  /** The addresses of all hosts, for `allowPrivate`. */
  get places(): string[] {
    return Array.from({ length: hosts }, (_, index) => this.#place(index))
  }

  #place(index: number): string {
    return `127.0.1.${(index % hosts) + 1}:${(this.#server.address() as AddressInfo).port}`
  }

  /** The response to a synchronous scrape of the markup. The page needs no browser, so the service uses none. */
  async scrape(api: ScrapeApi, target_type: TargetType, markup: string) {
    const path = `/target-${this.#served}`
    this.#pages.set(path, markup)
    const url = `http://${this.#place(this.#served++)}${path}`
    return await api.ask<ShownTask>('/sync', { body: { url, target_type, options: { render: 'never' } } })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }
}
