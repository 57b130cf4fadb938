// Promise: one function decides which header goes to which origin, and every request uses it. This list has every place in the code that
// can send a request. A new place fails the test until its headers are decided.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTest, readSourceFiles } from '../architecture/source-files.ts'

interface Way {
  /** Matches code that can send a request or set a header. */
  pattern: RegExp
  /** The files that match the pattern, and how each file decides its headers. */
  places: Record<string, string>
}

const ways: Record<string, Way> = {
  'headers that count as decided': {
    pattern: /\bas (DecidedHeaders|FlatHeaders)\b/,
    places: {
      'src/fetch/http/header-origins.ts': 'the decision itself',
      'src/fetch/http/headers.ts': 'flattens decided headers',
      'src/fetch/http/cookies.ts':
        'adds the cookies that the jar has for this URL, on no errand for robots.txt',
      'src/fetch/http/browser-like/as-browser.ts': 'replaces our own headers by those of a browser',
    },
  },
  'the packages that send requests': {
    pattern: /from 'undici'|import\('undici'\)|import\('impit'\)|from 'impit'/,
    places: {
      'src/fetch/http/exchange.ts': 'sends `FlatHeaders` only',
      'src/fetch/http/plain/handed-over.ts': 'carries what undici wrote',
      'src/fetch/http/plain/plain-connection.ts': 'connections of exchange.ts',
      'src/fetch/http/plain/plain-request.ts': 'writes the headers of exchange.ts',
      'src/fetch/http/pools.ts': 'connections of exchange.ts',
      'src/fetch/http/undici.ts': 'loads the package; sends nothing',
      'src/fetch/http/browser-like/tls-exchange.ts': 'sends `FlatHeaders` only',
    },
  },
  'requests and sockets of Node': {
    pattern:
      /import (?!type)[^;\n]*\b(request|connect|get|Agent|ClientRequest)\b[^;\n]* from '(node:(http|https|http2|net|tls)|[./]+lib\/node-http\.ts)'/,
    places: {
      'src/fetch/browser/egress/connections.ts': 'carries what the browser wrote',
      'src/fetch/browser/egress/requests.ts': 'carries what the browser wrote',
      'src/fetch/proxies/dial.ts': 'connections to proxies and through them',
      'src/fetch/proxies/checked-socket.ts': 'connections to addresses that the gate allowed',
    },
  },
  'modules of Node that are loaded by name': {
    pattern: /getBuiltinModule\(/,
    places: {
      'src/lib/node-http.ts': 'names what it exports; its importers are listed above',
    },
  },
  'clients over the egress gate': {
    pattern: /\bopen(HttpFetch|OwnHttp|HttpTo)\(/,
    places: {
      'src/fetch/http/index.ts': 'makes them; default headers are cut to harmless ones',
      'src/pipeline/work/lane/open-job.ts': 'requests of jobs; headers by job-headers.ts',
      'src/roles/lanes/credentials.ts': 'the credentials backend, with its own key',
      'src/roles/local/check-machine.ts': 'probes of `kscrape doctor`, no headers of jobs',
      'src/roles/service/own-http.ts': 'requests of the service itself; its callers are in this list',
      'src/roles/service/feed-opensearch.ts': 'OpenSearch, with its own password',
      'src/roles/service/ownership.ts': 'tokens of site owners, no headers',
      'src/roles/service/preview-looks.ts': 'style sheets, fonts and images of pages, no headers',
      'src/roles/service/web-search.ts': 'the search engine of the operator, no headers of jobs',
      'src/roles/service/send-webhooks.ts': 'webhooks, signed; no headers of jobs',
      'src/roles/local/try-proxies.ts': 'checks of proxies, no headers',
    },
  },
  'a function called fetch': {
    pattern: /(?<![.\w#])fetch\(/,
    places: {
      'src/pipeline/report/web-search.ts': 'the search engine of the operator, no headers of jobs',
      'src/adapters/http/credentials.ts': 'a client over the gate',
      'src/adapters/opensearch/sink.ts': 'a client over the gate',
      'src/deliver/post-webhook.ts': 'a client over the gate',
      'src/extract/llm/client.ts': 'the operator’s language model, with its own key',
      'src/pipeline/coordinate/prove-ownership.ts': 'a client over the gate',
      'src/pipeline/coordinate/hosts/robots-gate.ts':
        'asks fetch-robots.ts, which says that its errand is robots',
      'src/pipeline/work/run-fetch-task.ts': 'the client of a job',
      'src/pipeline/work/scraper/run-scraper.ts': 'the client of a job',
      'src/roles/cluster/task-services/robots-once.ts': 'asks fetch-robots.ts',
      'src/roles/scrapers/recorder.ts': 'the client of a job, recorded',
      'src/roles/local/try-proxies.ts': 'a client over the gate',
      'src/roles/service/send-mail.ts':
        'passes webhooks on unchanged; e-mails go to the mail server of the operator',
    },
  },
  'headers of a job': {
    pattern: /\bspec\.headers\b|\bheaders(, \w+)* \} = (job\.)?spec\b/,
    places: {
      'src/pipeline/submit/conduct-notes.ts': 'which consents they need; sends nothing',
      'src/pipeline/work/answer-influences.ts': 'whether answers may be shared; sends nothing',
      'src/pipeline/work/lane/job-browser.ts': 'whether the job has credentials; sends nothing',
      'src/pipeline/work/lane/job-headers.ts': 'decided by `headersTo`',
      'src/pipeline/submit/sealed-headers.ts': 'seals them; sends nothing',
      'src/roles/local/page-trial.ts': 'names a trial by them; sends nothing',
    },
  },
  'headers of a browser’s requests': {
    pattern:
      /(setExtraHTTPHeaders|extraHTTPHeaders|httpCredentials|'Fetch\.(continueRequest|continueWithAuth|fulfillRequest)')/,
    places: {
      'src/fetch/actions/permits.ts': 'holds documents and lets them go on unchanged',
      'src/fetch/browser/cdp/protocol.ts': 'types only',
      'src/fetch/browser/lent/allowed-methods.ts': 'names what a client may set in its own browser',
      'src/fetch/browser/lent/client-consents.ts': 'names what needs a consent; sends nothing',
      'src/fetch/browser/lent/guarded-page.ts': 'headers of the identity; none of a job',
      'src/fetch/browser/lent/lent-browser.ts': 'answers in the place of a refused request',
      'src/fetch/browser/lent/protocol-filter.ts': 'headers of the client itself, without Host',
      'src/fetch/browser/lent/playwright-filter.ts': 'names what a client may set in its own browser',
      'src/server/api/browsers/browserless.ts': 'headers of the job that it submits',
      'src/fetch/browser/cdp/request-guard.ts': 'decided by `headersTo`',
      'src/fetch/browser/playwright/popup-guard.ts':
        'lets documents of windows go on unchanged, or blocks them',
    },
  },
  'cookies and storage given to a browser': {
    pattern: /\.addCookies\(|'Storage\.setCookies'|storageState: /,
    places: {
      'src/fetch/browser/cdp/protocol.ts': 'types only',
      'src/fetch/browser/cdp/storage.ts': 'cookies carry their domain; the browser sends them there alone',
      'src/fetch/browser/lent/client-consents.ts': 'names what needs a consent; sends nothing',
      'src/fetch/browser/lent/lent-state.ts': 'the same, for browsers of clients',
      'src/fetch/browser/lent/playwright-client.ts': 'the same, for clients of Playwright',
      'src/fetch/browser/playwright/context.ts': 'the same',
      'src/fetch/browser/visible.ts': 'the same, for `kscrape login`',
    },
  },
}

const product = readSourceFiles('src/**/*.ts').filter(
  ({ path }) => !isTest(path) && !path.startsWith('src/demo-site/'),
)
const code = (text: string): string => text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, '')

for (const [name, { pattern, places }] of Object.entries(ways))
  test(`only the listed source files use ${name}`, () => {
    const found = product.filter(({ text }) => pattern.test(code(text))).map(({ path }) => path)
    assert.deepEqual(
      found,
      Object.keys(places).sort(),
      'Decide its headers by `headersTo` (src/fetch/http/header-origins.ts), then add the place here',
    )
  })
