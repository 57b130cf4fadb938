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
    says: 'Any redirect status, to ?to= or the target.',
    answer: (visit, status) => redirect(goal(visit), Number(status)),
  },
  {
    path: '/redirect/chain/:length',
    try: '/redirect/chain/5',
    says: 'A chain of hops before the target.',
    answer: (_visit, length) =>
      redirect(Number(length) > 1 ? `/redirect/chain/${Number(length) - 1}` : target),
  },
  {
    path: '/redirect/endless/:hop',
    try: '/redirect/endless/1',
    says: 'Always one hop more, never the same address twice.',
    answer: (_visit, hop) => redirect(`/redirect/endless/${Number(hop) + 1}`),
  },
  { path: '/redirect/self', says: 'To itself.', answer: () => redirect('/redirect/self') },
  { path: '/redirect/loop', says: 'A loop of two redirects.', answer: () => redirect('/redirect/loop-back') },
  {
    path: '/redirect/loop-back',
    says: 'The second part of the loop.',
    answer: () => redirect('/redirect/loop'),
  },
  { path: '/redirect/relative', says: 'Location is a relative path.', answer: () => redirect('target') },
  {
    path: '/redirect/fragment',
    says: 'Location ends in a fragment.',
    answer: () => redirect(`${target}#part`),
  },
  {
    path: '/redirect/other-host',
    says: 'To the same server under the name localhost, or to ?to=.',
    answer: visit =>
      redirect(visit.url.searchParams.get('to') ?? `http://localhost:${visit.url.port}${target}`),
  },
  { path: '/redirect/no-location', says: 'No Location at all.', answer: () => ({ status: 302 }) },
  { path: '/redirect/empty-location', says: 'An empty Location.', answer: () => redirect('') },
  {
    path: '/redirect/bad-location',
    says: 'A Location that is not a URL.',
    answer: () => redirect('http://[not-an-address/'),
  },
  {
    path: '/redirect/to-file',
    says: 'To a file of the visitor.',
    answer: () => redirect('file:///etc/passwd'),
  },
  {
    path: '/redirect/to-data',
    says: 'To a data: URL.',
    answer: () => redirect('data:text/html,<h1>data</h1>'),
  },
  {
    path: '/redirect/to-javascript',
    says: 'To a javascript: URL.',
    answer: () => redirect('javascript:alert(1)'),
  },
  {
    path: '/redirect/to-metadata',
    says: 'To the metadata address of cloud machines.',
    answer: () => redirect('http://169.254.169.254/latest/meta-data/'),
  },
  {
    path: '/redirect/two-locations',
    says: 'Two Location headers that disagree.',
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
    says: 'Raw UTF-8 bytes in Location.',
    answer: () => ({ status: 302, headers: { location: Buffer.from('/leaf/café').toString('latin1') } }),
  },
  {
    path: '/redirect/meta-refresh',
    says: 'A page that sends the reader on by meta refresh.',
    answer: () => bare('One moment', html`<meta http-equiv="refresh" content="0; url=${target}">`),
  },
]

function goal(visit: Visit): string {
  return visit.url.searchParams.get('to') ?? target
}
