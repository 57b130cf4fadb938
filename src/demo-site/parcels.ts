// Made-up parcels for the fake treasurer's site. Each is computed from its number, so it is the same on every machine.
import { seeded } from './random.ts'

export interface Parcel {
  number: string
  owner: string
  address: string
  taxYear: number
  /** Amounts in cents. */
  assessed: number
  paid: number
  firstHalfDue: number
  secondHalfDue: number
}

const owners = ['SALGADO FAMILY TRUST', 'MESQUITE HOLDINGS LLC', "O'HARA JUNE", 'TRAN MINH / TRAN LAN']
const streets = ['E PALO VERDE LN', 'W CAMELBACK RD', 'N 7TH ST', 'S OCOTILLO DR']
const cities = ['PHOENIX', 'MESA', 'TEMPE', 'GLENDALE']

/** Undefined for an invalid parcel number, and for books from 900 on, which this county does not have. */
export function parcelOf(number: string): Parcel | undefined {
  if (!/^[0-8]\d\d-\d\d-\d{3}[A-Z]?$/.test(number)) return undefined
  const random = seeded(Number.parseInt(number.replaceAll('-', ''), 10))
  const half = random.between(40_000, 440_000)
  const halvesPaid = random.between(0, 2)
  return {
    number,
    owner: random.pick(owners),
    address: `${random.between(100, 9_999)} ${random.pick(streets)}, ${random.pick(cities)} AZ ${random.between(85_001, 85_400)}`,
    taxYear: 2025,
    assessed: 2 * half,
    paid: halvesPaid * half,
    firstHalfDue: halvesPaid > 0 ? 0 : half,
    secondHalfDue: halvesPaid > 1 ? 0 : half,
  }
}
