// Pages that are hard on a browser: endless loops, dialogs, popups, memory, pages that reload or never finish.
import { numberIn, type Reply } from '../route.ts'
import { bare, type Misbehaviour } from './misbehaviour.ts'

/** A page with one hostile script. */
function script(title: string, source: string): Reply {
  const reply = bare(title)
  const body = String(reply.body).replace('</body>', `<script>${source}</script></body>`)
  return { ...reply, body }
}

const onLoad = (source: string) => `addEventListener('load', () => setTimeout(() => { ${source} }))`

export const hostileScripts: Misbehaviour[] = [
  {
    path: '/hostile/busy-at-once',
    says: 'An endless loop in the first script.',
    answer: () => script('Busy at once', 'for (;;) {}'),
  },
  {
    path: '/hostile/busy-after-load',
    says: 'An endless loop that starts when the page has loaded.',
    answer: () => script('Busy after load', onLoad('for (;;) {}')),
  },
  {
    path: '/hostile/alerts',
    says: 'Endless alerts, one after another.',
    answer: () => script('Alerts', "for (;;) alert('Look here')"),
  },
  {
    path: '/hostile/stay',
    says: 'Shows a dialog when the visitor leaves.',
    answer: () =>
      script(
        'Stay',
        "addEventListener('beforeunload', event => { event.preventDefault(); event.returnValue = 'Stay' })",
      ),
  },
  {
    path: '/hostile/reload',
    says: 'Reloads itself as soon as it is loaded.',
    answer: () => script('Reload', onLoad('location.reload()')),
  },
  {
    path: '/hostile/go-on',
    says: 'Navigates to the next page by script, endlessly.',
    answer: visit => {
      const next = numberIn(visit, 'n', 0) + 1
      return script('Go on', `location.href = '/hostile/go-on?n=${next}'`)
    },
  },
  {
    path: '/hostile/heap',
    says: 'A script that fills the memory.',
    answer: () => script('Heap', 'const kept = []; for (;;) kept.push(new Array(100000).fill({}))'),
  },
  {
    path: '/hostile/popups',
    says: 'Opens thirty windows.',
    answer: () => script('Popups', "for (let n = 0; n < 30; n++) open('/hostile/stay?n=' + n)"),
  },
  {
    path: '/hostile/attachment',
    says: 'A download instead of a page. ?bytes= sets its size in bytes (default 1000).',
    answer: visit => ({
      headers: {
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment; filename="saved.bin"',
      },
      body: Buffer.alloc(numberIn(visit, 'bytes', 1_000, 100_000_000), 'x'),
    }),
  },
  {
    path: '/hostile/service-worker',
    says: 'Tries to register a service worker, which would outlive the page, and reports the result.',
    answer: () =>
      script(
        'Service worker',
        "navigator.serviceWorker?.register('/hostile/worker.js').then(() => document.title = 'Registered', () => document.title = 'Refused') ?? (document.title = 'None')",
      ),
  },
  {
    path: '/hostile/worker.js',
    says: 'The script of the service worker.',
    answer: () => ({ headers: { 'content-type': 'text/javascript' }, body: '' }),
  },
]
