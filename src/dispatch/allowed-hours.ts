// The hours in which a host may be requested, in its own time zone, with daylight saving.
import { type AllowedHours, weekdays } from '../model/policy/policy.ts'

const minuteMs = 60_000
const dayMinutes = 1_440
/** Maximum number of days to search for the next opening. A weekly window may fall into the hour that a clock change skips, so
 *  the next opening can be two weeks away. */
const farthestDays = 15

/** The local time in the time zone of the host. */
interface LocalTime {
  minutesOfDay: number
  weekday: number
  /** Local time minus UTC. */
  offsetMs: number
}

export class OpeningHours {
  readonly #from: number
  readonly #to: number
  readonly #days: ReadonlySet<number>
  readonly #format: Intl.DateTimeFormat
  // Every request checks the hours, and time zone computations are slow. So the result is cached per minute.
  #knownMinute = Number.NaN
  #knownAnswer = false

  constructor(hours: AllowedHours) {
    this.#from = minutesOf(hours.from)
    this.#to = minutesOf(hours.to)
    this.#days = new Set(hours.days.map(day => weekdays.indexOf(day)))
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: hours.timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    })
  }

  /** Whether requests are allowed at this time. A window over midnight belongs to the day on which it starts. If `from` and `to`
   *  are equal, the whole day is open. */
  isOpen(at: number): boolean {
    const minute = Math.floor(at / minuteMs)
    if (minute === this.#knownMinute) return this.#knownAnswer
    this.#knownMinute = minute
    this.#knownAnswer = this.#isOpenAt(at)
    return this.#knownAnswer
  }

  #isOpenAt(at: number): boolean {
    const { minutesOfDay, weekday } = this.#localTime(at)
    const isToday = this.#days.has(weekday)
    if (this.#from < this.#to) return isToday && minutesOfDay >= this.#from && minutesOfDay < this.#to
    const wasYesterday = this.#days.has((weekday + 6) % 7)
    return (isToday && minutesOfDay >= this.#from) || (wasYesterday && minutesOfDay < this.#to)
  }

  /** The first open moment at `at` or later, rounded up to a minute. */
  nextOpen(at: number): number {
    if (this.isOpen(at)) return at
    const minute = Math.ceil(at / minuteMs) * minuteMs
    for (let days = 0; days <= farthestDays; days += 1) {
      const opening = this.#opening(minute, days)
      if (opening !== null) return opening
    }
    return Number.POSITIVE_INFINITY
  }

  /** When the window opens, `days` days after the day of `minute`. Null if it does not open that day, or opens before `minute`. */
  #opening(minute: number, days: number): number | null {
    const { minutesOfDay, offsetMs } = this.#localTime(minute)
    const guess = minute + (days * dayMinutes + this.#from - minutesOfDay) * minuteMs
    const offsetThen = this.#localTime(guess).offsetMs
    // If daylight saving starts or ends between `minute` and the opening, the guess is wrong by that change. So search from the
    // guess to the corrected guess.
    const other = guess + offsetMs - offsetThen
    return this.#firstOpen(Math.max(minute, Math.min(guess, other)), Math.max(guess, other))
  }

  #firstOpen(earliest: number, latest: number): number | null {
    for (let at = earliest; at <= latest; at += minuteMs) if (this.isOpen(at)) return at
    return null
  }

  #localTime(at: number): LocalTime {
    const part: Record<string, number> = {}
    for (const { type, value } of this.#format.formatToParts(at)) part[type] = Number(value)
    const local = Date.UTC(part.year!, part.month! - 1, part.day!, part.hour!, part.minute!)
    const utc = Math.floor(at / minuteMs) * minuteMs
    return {
      minutesOfDay: part.hour! * 60 + part.minute!,
      weekday: (new Date(local).getUTCDay() + 6) % 7,
      offsetMs: local - utc,
    }
  }
}

function minutesOf(clockTime: string): number {
  const [hours, minutes] = clockTime.split(':')
  return Number(hours) * 60 + Number(minutes)
}
