// Prices as shops in different countries write them.

export type Currency = 'EUR' | 'USD' | 'GBP'

const styles = {
  EUR: { before: '€ ', thousands: '.', decimal: ',' },
  USD: { before: '$', thousands: ',', decimal: '.' },
  GBP: { before: '£', thousands: ',', decimal: '.' },
} as const

/** Formats a price: `€ 1.299,00`, `$1,299.00` or `£1,299.00`. */
export function writePrice(cents: number, currency: Currency): string {
  const { before, thousands, decimal } = styles[currency]
  const whole = String(Math.floor(cents / 100)).replace(/\B(?=(\d{3})+$)/g, thousands)
  return `${before}${whole}${decimal}${String(cents % 100).padStart(2, '0')}`
}
