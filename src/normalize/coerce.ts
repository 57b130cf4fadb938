// Converts text to the type of a rule. Returns null if that fails; never throws.
import { cleanText, cutControls } from '../lib/text/clean-text.ts'
import type { Coerce, CoerceContext, FieldType } from '../model/extraction-rules.ts'
import type { Json } from '../model/record.ts'
import { parseBoolean } from './booleans.ts'
import { regionOfUrl } from './currency-regions.ts'
import { parseDate } from './dates.ts'
import { parseEmail } from './emails.ts'
import { parseLocation } from './locations.ts'
import { parseMoney } from './money.ts'
import { parseInteger, parseNumber } from './numbers.ts'
import { parsePhone } from './phones.ts'
import { stripHtml } from './text.ts'
import { normalizeUrl, type UrlSettings } from './urls.ts'

interface CoerceSettings {
  urls?: UrlSettings
}

/** A text with more characters than this cannot be a number, date or price. */
const maxScalarLength = 1_000

export function makeCoerce(settings: CoerceSettings = {}): Coerce {
  return (text, as, context) => {
    if (as === 'text') return context.machine ? stripHtml(text) : cleanText(text)
    if (as === 'html') return cutControls(text).trim()
    const cleaned = cleanText(text)
    if (as === 'url') return cleaned === '' ? null : normalizeUrl(cleaned, context.baseUrl, settings.urls)
    return cleaned === '' || cleaned.length > maxScalarLength ? null : readScalar(cleaned, as, context)
  }
}

/** The converter for values of records. It changes URLs to https. Links that a crawl fetches are not converted. */
export const coerce: Coerce = makeCoerce({ urls: { forceHttps: true } })

function readScalar(text: string, as: FieldType, context: CoerceContext): Json {
  switch (as) {
    case 'number':
      return parseNumber(text, context)
    case 'integer':
      return parseInteger(text, context)
    case 'boolean':
      return parseBoolean(text)
    case 'date':
      return parseDate(text, { region: regionOfUrl(context.baseUrl), ...context })
    case 'money':
      return parseMoney(text, { region: regionOfUrl(context.baseUrl), ...context }) as Json
    case 'email':
      return parseEmail(text)
    case 'phone':
      return parsePhone(text)
    case 'location':
      return parseLocation(text)
    default:
      return text
  }
}
