// maricopa-az: the property tax of a parcel in Maricopa County, Arizona, from its tax statement.
import * as z from 'zod'
import { Failure } from '../../model/failures.ts'
import { defineScraper } from '../define-scraper.ts'
import type { Normalizers } from '../normalizers.ts'
import type { PageView } from '../page-view.ts'

const text = z.string().nullable()
const amount = z.number().nullable()

const parcelNumber = /^(\d{3})-?(\d{2})-?(\d{3})([A-Z]?)$/

const input = z.object({
  /** Parcel number: book, map, item and split, such as `123-45-678A`. */
  parcel: z
    .string()
    .trim()
    .toUpperCase()
    .regex(parcelNumber, 'a parcel number like "123-45-678" or "123-45-678A"'),
  /** URL of the treasurer's site; tests use another URL. */
  base_url: z.preprocess(
    value => (value === '' ? undefined : value),
    z.url({ protocol: /^https?$/ }).default('https://treasurer.maricopa.gov'),
  ),
})

const maricopaResult = z.object({
  parcel: text,
  owner: text,
  property_address: text,
  tax_year: z.number().int().nullable(),
  assessed_tax: amount,
  tax_paid: amount,
  total_due: amount,
  first_half_due: amount,
  second_half_due: amount,
  status: text,
})

export const maricopaAz = defineScraper({
  id: 'maricopa-az',
  version: '1',
  name: 'Maricopa County, AZ: property tax',
  description: 'Looks a parcel up at the county treasurer and reads its tax statement.',
  input,
  output: maricopaResult,
  // The server belongs to a public office, so the rate is low, and tasks are retried more often than usual.
  policy: { host: { rate: 1, concurrency: 1 }, retries: { attempts: 4 } },

  async run({ input, open, submit, emit, normalize }) {
    const [, book, map, item, split] = parcelNumber.exec(input.parcel)!
    const search = await open(`${input.base_url.replace(/\/$/, '')}/`)
    const summary = await submit(search.form('#parcel-search'), {
      txtBook: book!,
      txtMap: map!,
      txtItem: item!,
      txtSplit: split!,
    })
    refuseUnknown(summary, input.parcel)
    summary.expect('h1', /parcel summary/i)
    const { statementUrl } = summary.require({
      statementUrl: summary.links().find(url => /statement/i.test(url)),
    })
    const statement = await open(statementUrl)
    statement.expect('h1', /tax statement/i)
    emit({ ...partiesOf(summary, normalize), ...amountsOf(statement, normalize) })
  },

  validate([record], page) {
    if (page?.text('.error, .alert-danger')) return `the site says "${page.text('.error, .alert-danger')}"`
    return record?.total_due === null ? 'the statement shows no amount that is due' : null
  },
})

/** An unknown parcel is an error of the input, not a change of the site. */
function refuseUnknown(answer: PageView, parcel: string): void {
  const problem = answer.text('.error')
  if (problem && /no parcel|not found/i.test(problem))
    throw new Failure('input.invalid', `parcel ${parcel} is unknown to the county: "${problem}"`, { parcel })
}

function partiesOf(summary: PageView, normalize: Normalizers) {
  const { parcel } = summary.require({ parcel: summary.text('#lblParcel') })
  return {
    parcel,
    owner: normalize.text(summary.text('#lblOwner')),
    property_address: normalize.text(summary.text('#lblSitusAddress')),
  }
}

function amountsOf(statement: PageView, normalize: Normalizers) {
  const rows = new Map(statement.table('#tblStatement').map(row => [row.Item ?? '', row.Amount]))
  const dollars = (name: string) => normalize.money(rows.get(name))?.amount ?? null
  return {
    tax_year: normalize.integer(statement.text('#lblTaxYear')),
    assessed_tax: dollars('Assessed tax'),
    tax_paid: dollars('Tax paid'),
    total_due: dollars('Total due'),
    first_half_due: dollars('First half due'),
    second_half_due: dollars('Second half due'),
    status: normalize.text(statement.text('#lblStatus')),
  }
}
