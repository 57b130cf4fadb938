// Texts for what a task waits for, shared by the CLI, the API and the dashboard.

/** The text that follows "waits for", by cause. HOST is replaced with the host or the number of hosts. */
const causes = {
  rate: 'the rate of HOST',
  'in-flight': 'a response of HOST',
  'crawl-delay': 'the Crawl-delay of HOST',
  'retry-after': 'the end of Retry-After of HOST',
  slowdown: 'the lower rate of HOST after 429',
  breaker: 'the breaker of HOST, which failed too often',
  hours: 'the allowed hours of HOST',
  paused: 'HOST, which is paused',
  robots: 'robots.txt of HOST',
  'job-rate': 'the rate of the job itself, at HOST',
  'job-hours': 'the hours of the job itself, at HOST',
  'job-paused': 'the end of the pause of the job, at HOST',
  'job-limit': 'the concurrency or a limit of the job, at HOST',
  'proxy-rest': 'a proxy that may request HOST again',
} as const
export type WaitCause = keyof typeof causes

/** The text of a cause: "the rate of a.example", "robots.txt of 3 hosts". A newer service may send an unknown cause. */
export function waitText(
  cause: WaitCause | string,
  { hosts, exampleHost }: { hosts: number; exampleHost: string },
): string {
  const words = cause in causes ? causes[cause as WaitCause] : `${cause} at HOST`
  return words.replace('HOST', hosts === 1 ? exampleHost : `${hosts} hosts`)
}
