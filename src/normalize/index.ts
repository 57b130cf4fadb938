// Normalize: what other layers may use of it.
export { parseBoolean } from './booleans.ts'
export { type CoerceSettings, coerce, makeCoerce } from './coerce.ts'
export { parseDate } from './dates.ts'
export { type Money, parseMoney } from './money.ts'
export { parseInteger, parseNumber } from './numbers.ts'
export { stripHtml } from './text.ts'
export { normalizeUrl, type UrlSettings } from './urls.ts'
