// Checks a running service over its API: reachability, key, readiness, workers, metrics, and the scrape of one page.
import { ApiError, type Client, type JobStatus } from '../../client.ts'
import { asFailure } from '../../model/failures.ts'
import type { Finding } from '../../roles/local/finding.ts'

/** How long to wait for the page, in milliseconds. The task may wait in a queue, for a worker to start, and for a processor. */
const scrapeLimitMs = 120_000

/** Runs all checks. If the service does not respond to the first one, the others are skipped. */
export async function checkService(service: Client, page?: string): Promise<Finding[]> {
  const answers = await tried('service', () => health(service), startIt)
  if (answers.verdict === 'broken') return [answers]
  const key = await tried('key', () => account(service), giveKey)
  if (key.verdict === 'broken') return [answers, key]
  const looks = await Promise.all([
    tried('readiness', () => readiness(service), askAdmin),
    tried('workers', () => workers(service), askAdmin),
    tried(
      'metrics',
      () => metrics(service),
      'use a key of the workspace `default`, or set SCRAPER_OPEN_METRICS=on at the service',
    ),
  ])
  return [answers, key, ...looks, await testScrape(service, page)]
}

const startIt = 'start it (kscrape serve), or correct --server'
const giveKey =
  'set SCRAPER_API_KEY to a key of that service; to create a key, run kscrape keys create on the machine of the service'
const askAdmin = 'use a key with the scope admin, of the workspace `default`'

const ok = (name: string, note: string): Finding => ({ name, verdict: 'ok', note })
const broken = (name: string, note: string, fix: string): Finding => ({ name, verdict: 'broken', note, fix })

/** Runs one check. If the key lacks the right for it, the check counts as skipped, not as failed. */
async function tried(name: string, look: () => Promise<Finding>, fix: string): Promise<Finding> {
  try {
    return await look()
  } catch (error) {
    const { message } = asFailure(error)
    const isForbidden = error instanceof ApiError && error.status === 403
    return isForbidden
      ? { name, verdict: 'missing', note: `not checked: ${message}`, fix }
      : broken(name, message, fix)
  }
}

async function health(service: Client): Promise<Finding> {
  const { version, uptimeSeconds, status } = await service.health()
  return ok('service', `${service.server} answers: version ${version}, ${status}, up for ${uptimeSeconds} s`)
}

async function account(service: Client): Promise<Finding> {
  const { workspace, scopes } = await service.me()
  return ok('key', `workspace ${workspace}, scopes ${scopes.join(', ')}`)
}

async function readiness(service: Client): Promise<Finding> {
  const { ready, checks } = (await service.workers()).readiness
  const said = Object.entries(checks).map(([what, how]) => `${what} ${how}`)
  if (ready) return ok('readiness', said.join(', '))
  const wrong = Object.entries(checks).filter(([, how]) => how !== 'ok')
  return broken(
    'readiness',
    wrong.map(([what, how]) => `${what}: ${how}`).join(', '),
    'fix the named parts; docs/runbooks/api-errors.md',
  )
}

/** Checks the workers. Zero workers are not a problem by themselves, because a cluster may be scaled to zero. The service
 *  reports if tasks wait too long for a worker. */
async function workers(service: Client): Promise<Finding> {
  const { workers, queueDepth, readiness } = await service.workers()
  const roles = [...Map.groupBy(workers, ({ role }) => role)].map(([role, all]) => `${all.length} ${role}`)
  const waiting = `${queueDepth} tasks wait`
  const { workers: check = 'ok' } = readiness.checks
  if (check !== 'ok') return broken('workers', check, 'start workers; docs/runbooks/no-worker.md')
  const fetching = workers.some(({ role }) => role.endsWith('-worker') || role === 'all-in-one')
  const asleep = fetching ? [] : ['no worker runs; one starts when work is due']
  return ok('workers', [...roles, ...asleep, waiting].join(', '))
}

async function metrics(service: Client): Promise<Finding> {
  const names = (await service.metrics()).match(/^# TYPE kscrape_\w+/gm) ?? []
  if (names.length > 0) return ok('metrics', `${names.length} kscrape metrics at ${service.server}/metrics`)
  return broken(
    'metrics',
    `${service.server}/metrics has no kscrape metrics`,
    'check that --server is a kscrape service',
  )
}

async function testScrape(service: Client, page: string | undefined): Promise<Finding> {
  const name = 'a page'
  if (page === undefined)
    return {
      name,
      verdict: 'missing',
      note: 'no page was scraped',
      fix: 'name a page that the service may fetch, like --page https://example.com/',
    }
  const howToLook = 'kscrape jobs list --server …; docs/troubleshooting.md says what each code means'
  return tried(name, () => scrape(service, page, howToLook), howToLook)
}

async function scrape(service: Client, page: string, howToLook: string): Promise<Finding> {
  const startedAt = performance.now()
  const { jobId } = await service.jobs.create({ urls: [page], labels: { made_by: 'kscrape doctor' } })
  const status = await ended(service, jobId)
  const tookMs = Math.round(performance.now() - startedAt)
  if (status === null)
    return broken(
      'a page',
      `${page} was not scraped within ${scrapeLimitMs / 1_000} s; job ${jobId} was not deleted, for inspection`,
      howToLook,
    )
  const [item] = (await service.jobs.resultPage(jobId, { limit: 1, metadata: false })).items
  if (item?.status !== 'success')
    return broken(
      'a page',
      `${page} gave no record: ${item?.error.code ?? status.status} ${item?.error.message ?? ''}; job ${jobId} was not deleted, for inspection`,
      howToLook,
    )
  await service.jobs.delete(jobId)
  return ok(
    'a page',
    `${page} became a record in ${tookMs} ms (HTTP ${item.httpStatus}); its job was deleted`,
  )
}

/** The status of the ended job; null if the time limit passed. */
async function ended(service: Client, jobId: string): Promise<JobStatus | null> {
  const signal = AbortSignal.timeout(scrapeLimitMs)
  return service.jobs.wait(jobId, { signal }).catch(error => {
    if (signal.aborted) return null
    throw error
  })
}
