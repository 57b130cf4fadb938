// Failing servers: statuses on demand, throttling, temporary and permanent outages.
import { html } from '../html.ts'
import { numberIn, type Reply, type Visit } from '../route.ts'
import { bare, type Misbehaviour } from './misbehaviour.ts'

export const failing: Misbehaviour[] = [
  {
    path: '/status/:code',
    try: '/status/418',
    says: 'Any status from 200 to 599.',
    answer: (_visit, code) => bare(`Status ${code}`, html``, /^[2-5]\d\d$/.test(code) ? Number(code) : 404),
  },
  {
    path: '/throttled',
    says: '429 with Retry-After for the first visits. ?times= sets their number (default 2), ?after= the seconds of Retry-After; with ?form=date it is a date.',
    answer: visit => firstTimes(visit, 2, 429, { 'retry-after': retryAfter(visit) }),
  },
  {
    path: '/throttled/always',
    says: 'Always 429 with Retry-After. ?after= sets its seconds (default 1).',
    answer: visit => ({
      ...bare('Slow down', html``, 429),
      headers: { 'content-type': 'text/html', 'retry-after': retryAfter(visit) },
    }),
  },
  {
    path: '/throttled/without-retry-after',
    says: '429 without Retry-After for the first visits. ?times= sets their number (default 2).',
    answer: visit => firstTimes(visit, 2, 429, {}),
  },
  {
    path: '/recovers',
    says: 'An error for the first visits, then 200. ?status= sets the error (default 503), ?times= the number of visits (default 2).',
    answer: visit => firstTimes(visit, 2, numberIn(visit, 'status', 503), {}),
  },
  { path: '/always-503', says: 'Always 503.', answer: () => bare('Out of order', html``, 503) },
  {
    path: '/unavailable',
    says: '503 with Retry-After for the first visits. ?times= sets their number (default 1).',
    answer: visit => firstTimes(visit, 1, 503, { 'retry-after': retryAfter(visit) }),
  },
  {
    path: '/reset/then-fine',
    says: 'Resets the connection without a response for the first visits. ?times= sets their number (default 1).',
    answer: visit => {
      if (visit.count > numberIn(visit, 'times', 1)) return bare('Fine again')
      return response => void response.socket?.resetAndDestroy()
    },
  },
]

function firstTimes(visit: Visit, times: number, status: number, headers: Record<string, string>): Reply {
  if (visit.count > numberIn(visit, 'times', times)) return bare('Fine again')
  const reply = bare('Not now', html`<p>Visit ${visit.count}.</p>`, status)
  return { ...reply, headers: { ...reply.headers, ...headers } }
}

function retryAfter(visit: Visit): string {
  const after = visit.url.searchParams.get('after') ?? '1'
  if (visit.url.searchParams.get('form') !== 'date') return after
  return new Date(Date.now() + Number(after) * 1_000).toUTCString()
}
