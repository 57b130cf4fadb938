// Pages that require something first: a login, a cookie, a password, a captcha. Also pages that answer 304.
import { html } from '../html.ts'
import { json, type Reply, redirect, type Visit } from '../route.ts'
import { bare, type Misbehaviour } from './misbehaviour.ts'

export const walls: Misbehaviour[] = [
  {
    path: '/members/*',
    try: '/members/area',
    says: '302 to the login for clients without a session.',
    answer: members,
  },
  { path: '/login', says: 'Accepts the user demo with the password demo.', answer: login },
  { path: '/cookies', says: 'The cookies that were sent, as JSON.', answer: visit => json(cookiesOf(visit)) },
  {
    path: '/cookies/set',
    says: 'Sets each query parameter as a cookie, then redirects to /cookies.',
    try: '/cookies/set?flavour=oat',
    answer: setCookies,
  },
  {
    path: '/cookies/required',
    says: 'Sets a cookie and redirects to itself; 403 if the client then does not send the cookie.',
    answer: cookieRequired,
  },
  {
    path: '/cookies/foreign',
    says: 'Sets cookies for other sites and for a whole public suffix.',
    answer: foreignCookies,
  },
  { path: '/auth/basic', says: 'Basic authentication with user demo and password demo.', answer: basicAuth },
  {
    path: '/wall/captcha',
    says: 'A page that asks whether the visitor is human.',
    answer: () =>
      bare(
        'Are you human?',
        html`<form action="/wall/captcha"><div class="g-recaptcha" data-sitekey="demo"></div></form>`,
        403,
      ),
  },
  {
    path: '/wall/blocked',
    says: '403 with a block page.',
    answer: () => bare('Access denied', html`<p>You have been blocked. Ray ID: 0000000000000000</p>`, 403),
  },
  {
    path: '/wall/cookies',
    says: 'Content hidden behind a consent dialog.',
    answer: () =>
      bare('Before you go on', html`<div role="dialog" id="consent"><button>Accept all</button></div>`),
  },
  { path: '/cached/etag', says: '304 if If-None-Match matches.', answer: () => bare('Tagged') },
  {
    path: '/cached/last-modified',
    says: '304 if the page has not changed since If-Modified-Since.',
    answer: lastModified,
  },
  {
    path: '/changes',
    says: 'Different at each visit, with a new ETag.',
    answer: visit => bare(`Visit ${visit.count}`),
  },
]

function cookiesOf(visit: Visit): Record<string, string> {
  const pairs = (visit.headers.cookie ?? '').split(/;\s*/).filter(pair => pair.includes('='))
  return Object.fromEntries(
    pairs.map(pair => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  )
}

function members(visit: Visit, rest: string): Reply {
  if (cookiesOf(visit).session === 'demo') return bare(`Members only: ${rest}`)
  return redirect(`/login?next=${encodeURIComponent(visit.url.pathname)}`)
}

function login(visit: Visit): Reply {
  if (visit.method === 'POST' && visit.form.get('user') === 'demo' && visit.form.get('password') === 'demo') {
    const next = visit.url.searchParams.get('next') ?? ''
    const location = next.startsWith('/members/') ? next : '/members/area'
    return { status: 303, headers: { location, 'set-cookie': 'session=demo; Path=/; HttpOnly' } }
  }
  const form = html`<form method="post"><input name="user" autocomplete="username">
<input type="password" name="password" autocomplete="current-password"><button>Sign in</button></form>`
  return bare('Sign in', form, visit.method === 'POST' ? 401 : 200)
}

function setCookies(visit: Visit): Reply {
  const cookies = [...visit.url.searchParams].map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}; Path=/`,
  )
  return { status: 302, headers: { location: '/cookies', 'set-cookie': cookies } }
}

function cookieRequired(visit: Visit): Reply {
  if (cookiesOf(visit).gate === 'open') return bare('Come in')
  if (visit.url.searchParams.has('tried')) return bare('Cookies needed', html``, 403)
  return {
    status: 302,
    headers: { location: '/cookies/required?tried=1', 'set-cookie': 'gate=open; Path=/cookies' },
  }
}

function foreignCookies(): Reply {
  const reply = bare('Cookies for others')
  const cookies = [
    'stolen=1; Domain=example.com',
    'wide=1; Domain=com',
    'wider=1; Domain=co.uk',
    'own=1; Path=/',
  ]
  return { ...reply, headers: { ...reply.headers, 'set-cookie': cookies } }
}

function basicAuth(visit: Visit): Reply {
  const expected = `Basic ${Buffer.from('demo:demo').toString('base64')}`
  if (visit.headers.authorization === expected) return bare('Welcome, demo')
  const reply = bare('Who are you?', html``, 401)
  return {
    ...reply,
    headers: { ...reply.headers, 'www-authenticate': 'Basic realm="demo", charset="UTF-8"' },
  }
}

function lastModified(): Reply {
  const reply = bare('Dated')
  return { ...reply, headers: { ...reply.headers, 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' } }
}
