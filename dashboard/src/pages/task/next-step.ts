// What a person does next about a task that did not go well, by its reason.
import type { FailureCode } from '../../../../src/model/failures.ts'

const unreachable = 'The host could not be reached. Retry the job later.'
const cutOff = 'The answer broke off. Retry the job later.'
const proxies =
  'The way through the proxy failed, not the site. Look at the proxies (kscrape proxies test), then retry.'
const otherAnswer =
  'The host does not give this page to us. Look at the headers and the HTML below; leave the page out if it stays.'
const brokenAnswer = 'The host’s answer can’t be read. Look at the headers below; retrying seldom helps.'
const redirected = 'The address leads elsewhere and never arrives. Check it, or leave it out.'
const wall =
  'The site shows a wall. It is reported, not fought: ask less often, come with a session of your own (kscrape login), or ask the site for its data.'
const duplicate = 'Another task of the job has the same page. Nothing has to be done.'
const ofBrowser = 'The browser could not finish the page. Retry the job; a longer wait or timeout may help.'
const noBrowser = 'There was no browser for it. kscrape doctor says which one there is and how to get one.'
const rules = 'The page was fetched, but did not fit the rules. Try them in New job, then run reextract.'
const credentials = 'The scraper’s credentials could not be had. Check what the workspace has, then retry.'
const ours = 'It was not the site’s doing. It is tried again by itself; retry the job if it stays.'
const storage = 'The storage was out of order. The job goes on when it works again.'

const steps: Partial<Record<FailureCode, string>> = {
  'dns.not-found': 'There is no host of that name. Check the address, or leave it out.',
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
  'http.server-error': 'The host answered with an error of its own. Retry the job later.',
  'http.request-timeout': unreachable,
  'http.too-early': unreachable,
  'http.client-error': otherAnswer,
  'http.not-found': 'The page is not there. Check the address, or leave it out.',
  'http.protocol': brokenAnswer,
  'host.throttled':
    'The host asked to be slowed down. It is asked again later by itself; a lower rate helps.',
  'host.not-now':
    'The host may not be asked now: its hours, its breaker or a pause. It is asked later by itself.',
  'host.closed': 'The host is outside its allowed hours. Retry the task at the time in the message.',
  'host.unavailable':
    'The host says that it is out of order. Retry the job later; its breaker keeps it from being asked too often.',
  'host.denied': 'The host is on the do-not-crawl list. An operator can take it off.',
  'body.truncated': cutOff,
  'body.undecodable': brokenAnswer,
  'body.too-large': 'The page is larger than the job takes. Raise max_bytes in its policy, then retry.',
  'redirect.bad': redirected,
  'redirect.too-many': redirected,
  'content.unsupported': 'It is no kind of content that records are made of. Leave it out.',
  'content.unreadable':
    'The file is broken, encrypted or empty; the message says which. Open it in a browser. If it opens there, report it.',
  'page.soft-not-found': 'The site says that the page is not there. Check the address, or leave it out.',
  'record.too-large':
    'A record is larger than the job takes. Extract fewer fields, or raise max_record_bytes in its policy, then retry.',
  'page.too-costly':
    'Reading the page took more memory or time than a page may have. Leave it out, or report its address.',
  'worker.crashed': 'The worker ended with the page, which is then read alone. Nothing has to be done.',
  'blocked.captcha': wall,
  'blocked.login':
    'The page is for those who logged in. Log in once (kscrape login NAME URL) and run with that session.',
  'blocked.consent':
    'The site wants an answer first. Give it once (kscrape login NAME URL) and run with that session.',
  'blocked.refused': wall,
  'render.needed': 'The page needs a browser. It is tried again with one by itself.',
  'navigation.failed': ofBrowser,
  'browser.crashed': ofBrowser,
  'browser.missing': noBrowser,
  'browser.not-started': noBrowser,
  'pool.exhausted': 'All browsers were busy for too long. Retry the job; a larger pool helps.',
  'action.failed': 'A step of the actions did not work. The screenshot and the HTML below show where.',
  'download.too-large': 'The file is larger than the job takes. Raise max_bytes in its policy, then retry.',
  'secret.missing': credentials,
  'credential.not-found': credentials,
  'credential.unavailable': credentials,
  'address.refused':
    'The address is none of the public web. An operator can allow single ones (SCRAPER_ALLOW_PRIVATE).',
  'robots.disallowed':
    'The site asks crawlers to leave this page alone. It is skipped unless the job is allowed to ignore robots.txt.',
  'robots.unreachable':
    'robots.txt could not be read, so the page was left alone. Look at the host, then retry.',
  'scope.refused': 'It lies outside of what the job asks for. Widen its scope if it belongs there.',
  'scope.redirected-out': 'It leads out of what the job asks for. Widen its scope if it belongs there.',
  'trap.suspected': 'It looks like one of endless pages. Name it by itself if it is none.',
  'sitemap.missing': 'The site has no sitemap here. The crawl follows links instead.',
  'duplicate.redirect': duplicate,
  'duplicate.canonical': duplicate,
  'duplicate.content': duplicate,
  'budget.max-pages': 'The job had as many pages as it asked for. Start one with more.',
  'scraper.failed': 'The scraper’s code failed. kscrape test shows why, over what was kept.',
  'extract.site-changed': rules,
  'extract.too-slow': rules,
  'extract.wrong-page-kind':
    'The page is not what the scraper reads. Use the scraper for such pages, or none: page reads any.',
  'regex.timeout': 'A pattern of the rules takes too long on this page. Make it simpler, then run reextract.',
  'job.cancelled': 'The job was cancelled. Retry it to go on.',
  'task.poison': 'Processes died with it again and again. Look at the logs before it is retried.',
  'task.deadline': 'It took longer than a task may. Raise the timeout that the message names, then retry.',
  'lease.lost': ours,
  'worker.stopping': ours,
  'worker.exhausted': ours,
  'storage.full': storage,
  'storage.failed': storage,
  'internal.bug': 'This is a bug of ours: the log has its stack. Retrying may not help.',
}

export const nextStep = (reason: string): string =>
  steps[reason as FailureCode] ?? 'Retry the job, or look at what was kept below.'
