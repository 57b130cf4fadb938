// What a person does next about a task that did not go well, by its reason.

const steps: Array<[pattern: RegExp, step: string]> = [
  [
    /^robots\.disallowed/,
    'The site asks crawlers to leave this page alone. It is skipped unless the job is allowed to ignore robots.txt.',
  ],
  [/^robots\./, 'robots.txt could not be read, so the page was left alone. Look at the host, then retry.'],
  [/^host\.denied/, 'The host is on the do-not-crawl list. An operator can take it off.'],
  [
    /^host\.(throttled|not-now)/,
    'The host asked to be slowed down. It is asked again later by itself; a lower rate helps.',
  ],
  [
    /^host\.unavailable/,
    'The host says that it is out of order. Retry the job later; its breaker keeps it from being asked too often.',
  ],
  [
    /^http\.(not-found|gone)|^http\.404|^http\.410/,
    'The page is not there. Check the address, or leave it out.',
  ],
  [
    /^http\.|^status\./,
    'The host answered with an error. Retry the job; if it stays, look at the headers and the HTML below.',
  ],
  [/^(dns|connect|tls|fetch|read)\./, 'The host could not be reached. Retry the job later.'],
  [
    /^wall\./,
    'The site shows a wall (captcha, login or block). It is reported, not fought: a session or permission of the owner is the way.',
  ],
  [/^extract\./, 'The page was fetched, but did not fit the rules. Try them in New job, then run reextract.'],
  [/^duplicate\./, 'Another task of the job has the same page. Nothing has to be done.'],
  [
    /^(job|budget)\.|cancel/,
    'The job was cancelled or stopped at a limit. Raise the limit or retry the job.',
  ],
  [
    /^(browser|render|pool|page)\./,
    'The browser could not finish the page. Retry the job; a longer wait or timeout may help.',
  ],
]

export const nextStep = (reason: string): string =>
  steps.find(([pattern]) => pattern.test(reason))?.[1] ?? 'Retry the job, or look at what was kept below.'
