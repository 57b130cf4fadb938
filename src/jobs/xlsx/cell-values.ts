// Values of cells as text, as in a CSV export of the sheet. Dates are ISO 8601.

/** Format ids that Excel reserves for dates and times. */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)

/** Whether a number format shows dates. `code` is the format that the workbook defines for this id, if any. */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) return isBuiltInDate(id)
  const bare = code.replace(/"[^"]*"|\\.|\[[^\]]*\]|[_*]./g, '')
  return /[ymdhs]/i.test(bare.split(';')[0]!) && !/general/i.test(bare)
}

/** Removes binary rounding noise from a number. */
export function numberText(text: string): string {
  const number = Number(text)
  return text.trim() === '' || Number.isNaN(number) ? text : String(Number(number.toPrecision(15)))
}

const dayMs = 86_400_000
/** Days from day 0 of Excel to 1 January 1970. */
const unixDay = 25_569
/** Days between the two date systems of Excel, which start in 1900 and 1904. */
const macDays = 1_462

/** The text of a date cell: a date, a date with time, or a time. The unchanged text if the number is not a valid date. */
export function dateText(text: string, from1904: boolean): string {
  const serial = Number(text)
  if (text.trim() === '' || Number.isNaN(serial) || serial < 0 || serial > 2_958_466) return text
  const ms = Math.round((serial + (from1904 ? macDays : 0) - unixDay) * dayMs)
  const iso = new Date(Math.round(ms / 1_000) * 1_000).toISOString()
  if (serial < 1) return iso.slice(11, 19)
  return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : iso.slice(0, 19)
}

/** The index of the column of a cell, from 0: `AB12` gives 27. */
export function columnOf(place: string): number {
  let column = 0
  for (const letter of place) {
    const code = letter.charCodeAt(0) & ~0x20
    if (code < 65 || code > 90) break
    column = column * 26 + code - 64
  }
  return column - 1
}
