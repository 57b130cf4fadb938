// Parses a time of day, with its time zone if the text names one.

export interface TimeOfDay {
  hours: number
  minutes: number
  seconds: number
  milliseconds: number
  /** Minutes east of UTC; null if the text names no zone. */
  offset: number | null
}

const clockTime =
  /(?:^|[\sT,(])(\d{1,2})[:h](\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*([ap]\.?\s?m\b)?\.?\s*(Z\b|(?:GMT|UTC)?[+-]\d{2}:?\d{2}\b|[A-Z]{2,4}\b)?/i
const zoneHours: Record<string, number> = {
  Z: 0,
  UTC: 0,
  GMT: 0,
  UT: 0,
  WET: 0,
  BST: 1,
  CET: 1,
  CEST: 2,
  EET: 2,
  EEST: 3,
  MSK: 3,
  IST: 5.5,
  JST: 9,
  EST: -5,
  EDT: -4,
  CST: -6,
  CDT: -5,
  MST: -7,
  MDT: -6,
  PST: -8,
  PDT: -7,
}

/** The first time of day in the text; null if there is none. */
export function findTime(text: string): TimeOfDay | null {
  const found = clockTime.exec(text)
  if (found === null) return null
  const hours = twentyFour(Number(found[1]), found[5])
  const minutes = Number(found[2])
  const seconds = Number(found[3] ?? 0)
  if (hours > 23 || minutes > 59 || seconds > 59) return null
  const milliseconds = Number((found[4] ?? '').padEnd(3, '0').slice(0, 3))
  return { hours, minutes, seconds, milliseconds, offset: zoneOffset(found[6] ?? '') }
}

function twentyFour(hours: number, half: string | undefined): number {
  if (half === undefined || hours > 12) return hours
  const afternoon = half[0]!.toLowerCase() === 'p'
  return (hours % 12) + (afternoon ? 12 : 0)
}

function zoneOffset(zone: string): number | null {
  const offset = /([+-])(\d{2}):?(\d{2})$/.exec(zone)
  if (offset !== null) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3])
    return offset[1] === '-' ? -minutes : minutes
  }
  const hours = zoneHours[zone.toUpperCase()]
  return hours === undefined ? null : hours * 60
}
