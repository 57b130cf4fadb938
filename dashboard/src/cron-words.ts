// Schedules as text: presets, and descriptions of cron expressions.

export interface Preset {
  words: string
  cron: (time: string) => string
  /** Whether the user can choose the time of day. */
  hasTime: boolean
}

const at = (time: string, days: string): string => {
  const [hour = '7', minute = '0'] = time.split(':')
  return `${Number(minute)} ${Number(hour)} ${days}`
}

export const presets: Record<string, Preset> = {
  hourly: { words: 'Every hour', cron: () => '0 * * * *', hasTime: false },
  daily: { words: 'Every day', cron: time => at(time, '* * *'), hasTime: true },
  weekdays: { words: 'Every weekday', cron: time => at(time, '* * 1-5'), hasTime: true },
  weekly: { words: 'Every Monday', cron: time => at(time, '* * 1'), hasTime: true },
  monthly: { words: 'On the first of every month', cron: time => at(time, '1 * *'), hasTime: true },
}

/** The text of `cronWords` with a capital letter, for the start of a sentence. */
export const cronSentence = (cron: string): string | null =>
  cronWords(cron)?.replace(/^./, letter => letter.toUpperCase()) ?? null

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/** Describes a cron expression: `30 2 * * 1-5` is "every weekday at 2:30". Null if there is no short text. */
export function cronWords(cron: string): string | null {
  const [minute, hour, day, month, weekday, ...more] = cron.trim().split(/\s+/)
  if (weekday === undefined || more.length > 0 || month !== '*') return null
  if (hour === '*' && day === '*' && weekday === '*') {
    if (minute === '*') return 'every minute'
    const every = /^\*\/(\d+)$/.exec(minute!)
    if (every) return `every ${every[1]} minutes`
    return /^\d+$/.test(minute!) ? (minute === '0' ? 'every hour' : `every hour at minute ${minute}`) : null
  }
  if (!/^\d+$/.test(minute!)) return null
  const everyHours = /^\*\/(\d+)$/.exec(hour!)
  if (everyHours && day === '*' && weekday === '*') return `every ${everyHours[1]} hours`
  if (!/^\d+$/.test(hour!)) return null
  const time = `at ${hour}:${minute!.padStart(2, '0')}`
  if (day === '*' && weekday === '*') return `every day ${time}`
  if (day === '*' && weekday === '1-5') return `every weekday ${time}`
  if (day === '*' && /^[0-7]$/.test(weekday)) return `every ${days[Number(weekday)]} ${time}`
  if (weekday === '*' && /^\d+$/.test(day!)) return `on day ${day} of every month ${time}`
  return null
}
