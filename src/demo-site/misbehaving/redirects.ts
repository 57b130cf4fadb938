// Redirects of every kind: correct, chained, endless, broken, and to places where no crawler may go.
import { html } from '../html.ts'
import { redirect, type Visit } from '../route.ts'
import { bare, type Misbehaviour, raw } from './misbehaviour.ts'

const target = '/redirect/target'

export const redirects: Misbehaviour[] = [
  { path: target, says: 'The target of most redirects.', answer: () => bare('Arrived') },
  {
    path: '/redirect/status/:status',
    try: '/redirect/status/308',
    says: 'A redirect with the given status, to ?to= or to the target.',
    answer: (visit, status) => redirect(goal(visit), Number(status)),
  },
  {
    path: '/redirect/chain/:length',
    try: '/redirect/chain/5',
    says: 'A chain of redirects to the target.',
    answer: (_visit, length) =>
      redirect(Number(length) > 1 ? `/redirect/chain/${Number(length) - 1}` : target),
  },
  {
    path: '/redirect/endless/:hop',
    try: '/redirect/endless/1',
    says: 'An endless chain of redirects, each to a new URL.',
    answer: (_visit, hop) => redirect(`/redirect/endless/${Number(hop) + 1}`),
  },
  { path: '/redirect/self', says: 'A redirect to itself.', answer: () => redirect('/redirect/self') },
  { path: '/redirect/loop', says: 'A loop of two redirects.', answer: () => redirect('/redirect/loop-back') },
  {
    path: '/redirect/loop-back',
    says: 'The second part of the loop.',
    answer: () => redirect('/redirect/loop'),
  },
  { path: '/redirect/relative', says: 'A redirect to a relative path.', answer: () => redirect('target') },
  {
    path: '/redirect/fragment',
    says: 'A redirect to a URL with a fragment.',
    answer: () => redirect(`${target}#part`),
  },
  {
    path: '/redirect/other-host',
    says: 'A redirect to ?to=, or to the same server under the name localhost.',
    answer: visit =>
      redirect(visit.url.searchParams.get('to') ?? `http://localhost:${visit.url.port}${target}`),
  },
  {
    path: '/redirect/no-location',
    says: 'A redirect without a Location header.',
    answer: () => ({ status: 302 }),
  },
  {
    path: '/redirect/empty-location',
    says: 'A redirect with an empty Location header.',
    answer: () => redirect(''),
  },
  {
    path: '/redirect/bad-location',
    says: 'A redirect to an invalid URL.',
    answer: () => redirect('http://[not-an-address/'),
  },
  {
    path: '/redirect/to-file',
    says: 'A redirect to a file: URL.',
    answer: () => redirect('file:///etc/passwd'),
  },
  {
    path: '/redirect/to-data',
    says: 'A redirect to a data: URL.',
    answer: () => redirect('data:text/html,<h1>data</h1>'),
  },
  {
    path: '/redirect/to-javascript',
    says: 'A redirect to a javascript: URL.',
    answer: () => redirect('javascript:alert(1)'),
  },
  {
    path: '/redirect/to-metadata',
    says: 'A redirect to the metadata address of cloud machines.',
    answer: () => redirect('http://169.254.169.254/latest/meta-data/'),
  },
  {
    path: '/redirect/two-locations',
    says: 'A redirect with two different Location headers.',
    answer: () =>
      raw([
        'HTTP/1.1 302 Found',
        'location: /redirect/target',
        'location: /redirect/self',
        'content-length: 0',
        'connection: close',
      ]),
  },
  {
    path: '/redirect/utf-8-location',
    says: 'A redirect with raw UTF-8 bytes in the Location header.',
    answer: () => ({ status: 302, headers: { location: Buffer.from('/leaf/café').toString('latin1') } }),
  },
  {
    path: '/redirect/meta-refresh',
    says: 'A page that redirects by meta refresh.',
    answer: () => bare('One moment', html`<meta http-equiv="refresh" content="0; url=${target}">`),
  },
]

function goal(visit: Visit): string {
  return visit.url.searchParams.get('to') ?? target
}
