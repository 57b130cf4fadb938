// Medians of measurements, and how numbers are printed.

/** The median. Ignores NaN, which marks failed measurements. */
export function median(values: number[]): number {
  const sorted = values.filter(value => !Number.isNaN(value)).sort((a, b) => a - b)
  const middle = sorted.length >> 1
  if (sorted.length === 0) return Number.NaN
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

export function written(value: number, digits = 0): string {
  return Number.isNaN(value)
    ? '–'
    : value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** The median with its range, like `1,440 (1,390–1,502)`. */
export function withRange(values: number[], digits = 0): string {
  const known = values.filter(value => !Number.isNaN(value))
  const middle = written(median(known), digits)
  if (known.length < 2) return middle
  return `${middle} (${written(Math.min(...known), digits)}–${written(Math.max(...known), digits)})`
}

export function markdownTable(header: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}
