// What a user can do about a task that failed, by its reason.
import type { FailureCode } from '../../../../src/model/failures.ts'

const unreachable = 'The host could not be reached. Retry the job later.'
const cutOff = 'The response was cut off. Retry the job later.'
const proxies = 'The proxy failed, not the site. Check the proxies (kscrape proxies test), then retry.'
const otherAnswer =
  'The host refuses this page. Check the headers and the HTML below; exclude the page if this continues.'
const brokenAnswer = 'The host’s response is invalid. Check the headers below; a retry seldom helps.'
const redirected = 'The URL redirects endlessly or to an invalid address. Check it, or exclude it.'
const wall =
  'The site shows a wall. kscrape reports walls and does not bypass them: lower the rate, use your own session (kscrape login), or ask the site for its data.'
const duplicate = 'Another task of the job has the same page. There is nothing to do.'
const ofBrowser = 'The browser could not finish the page. Retry the job; a longer wait or timeout may help.'
const noBrowser =
  'There was no browser for the page. kscrape doctor shows which browser is installed and how to get one.'
const rules = 'The page was fetched, but did not fit the rules. Try them in New job, then run reextract.'
const credentials =
  'The scraper’s credentials could not be loaded. Check the credentials of the workspace, then retry.'
const ours = 'The site is not the cause. The task is retried automatically; retry the job if this continues.'
const storage = 'The storage failed. The job continues when the storage works again.'

const steps: Partial<Record<FailureCode, string>> = {
  'dns.not-found': 'There is no host with this name. Check the address, or exclude it.',
  'dns.failed': unreachable,
  'connect.refused': unreachable,
  'host.unreachable': unreachable,
  'connect.failed': unreachable,
  'connect.timeout': unreachable,
  'connection.lost': cutOff,
  'tls.failed': 'The host’s certificate could not be verified. SCRAPER_CA_FILE adds authorities to trust.',
  'proxy.refused': proxies,
  'proxy.failed': proxies,
  'proxy.none-healthy': proxies,
  'fetch.timeout': 'The host took too long. Retry the job, or raise the timeout that the message names.',
  'http.server-error': 'The host responded with a server error. Retry the job later.',
  'http.request-timeout': unreachable,
  'http.too-early': unreachable,
  'http.client-error': otherAnswer,
  'http.not-found': 'The page does not exist. Check the address, or exclude it.',
  'http.protocol': brokenAnswer,
  'host.throttled':
    'The host asked us to slow down. The task is retried later automatically; a lower rate helps.',
  'host.not-now':
    'The host gets no requests now, because of its allowed hours, its breaker or a pause. The task is retried automatically.',
  'host.closed': 'The host is outside its allowed hours. Retry the task at the time in the message.',
  'host.unavailable': 'The host is failing. Retry the job later; its breaker limits the requests until then.',
  'host.denied': 'The host is on the do-not-crawl list. An operator can remove the entry.',
  'body.truncated': cutOff,
  'body.undecodable': brokenAnswer,
  'body.too-large': 'The page is larger than the job allows. Raise max_bytes in its policy, then retry.',
  'redirect.bad': redirected,
  'redirect.too-many': redirected,
  'content.unsupported': 'Records cannot be made from this kind of content. Exclude the address.',
  'content.unreadable':
    'The file is broken, encrypted or empty; the message says which. If a browser can open the file, report this as a bug.',
  'page.soft-not-found': 'The site says that the page does not exist. Check the address, or exclude it.',
  'record.too-large':
    'A record is larger than the job allows. Extract fewer fields, or raise max_record_bytes in its policy, then retry.',
  'page.too-costly': 'Parsing the page took too much memory or time. Exclude it, or report its address.',
  'worker.crashed':
    'A worker died while it had the page. kscrape retries the page alone on a worker; you need not do anything.',
  'blocked.captcha': wall,
  'blocked.login': 'The page needs a login. Log in once (kscrape login NAME URL) and run with that session.',
  'blocked.consent':
    'The site shows a consent page first. Answer it once (kscrape login NAME URL) and run with that session.',
  'blocked.refused': wall,
  'render.needed': 'The page needs a browser. The task is retried in a browser automatically.',
  'navigation.failed': ofBrowser,
  'browser.crashed': ofBrowser,
  'browser.missing': noBrowser,
  'browser.not-started': noBrowser,
  'pool.exhausted': 'All browsers were busy for too long. Retry the job; a larger pool helps.',
  'action.failed':
    'An action failed. The screenshots of its steps show where; the HTML can be downloaded above.',
  'download.too-large': 'The file is larger than the job allows. Raise max_bytes in its policy, then retry.',
  'secret.missing': credentials,
  'credential.not-found': credentials,
  'credential.unavailable': credentials,
  'address.refused':
    'The address is not public. An operator can allow single addresses (SCRAPER_ALLOW_PRIVATE).',
  'robots.disallowed': 'robots.txt disallows this page. It is skipped unless the job may ignore robots.txt.',
  'robots.unreachable':
    'robots.txt could not be read, so the page was not requested. Check the host, then retry.',
  'scope.refused': 'The URL is outside the job’s scope. Widen the scope if it belongs to the job.',
  'scope.redirected-out':
    'The URL redirects out of the job’s scope. Widen the scope if the target belongs to the job.',
  'trap.suspected':
    'The URL looks like a trap: one of endlessly many pages. If it is not, add it to the URLs of the job.',
  'sitemap.missing': 'The site has no sitemap here. The crawl follows links instead.',
  'duplicate.redirect': duplicate,
  'duplicate.canonical': duplicate,
  'duplicate.content': duplicate,
  'budget.max-pages': 'The job reached its page limit. Raise the limit.',
  'scraper.failed': 'The scraper’s code failed. Correct it, then run reextract, which uses the stored pages.',
  'extract.site-changed': rules,
  'extract.too-slow': rules,
  'extract.wrong-page-kind':
    'The page is of another kind than the scraper accepts. Use another scraper, or the scraper `page`, which accepts any page.',
  'regex.timeout': 'A pattern of the rules takes too long on this page. Make it simpler, then run reextract.',
  'job.cancelled': 'The job was cancelled. Retry it to continue.',
  'task.poison': 'Several processes died while they had the task. Check the logs before you retry.',
  'task.deadline': 'The task took too long. Raise the timeout that the message names, then retry.',
  'lease.lost': ours,
  'worker.stopping': ours,
  'worker.exhausted': ours,
  'storage.full': storage,
  'storage.failed': storage,
  'internal.bug': 'This is a bug in kscrape. The log has the stack trace. A retry may not help.',
}

export const nextStep = (reason: string): string =>
  steps[reason as FailureCode] ?? 'Retry the job, or check the stored files below.'
