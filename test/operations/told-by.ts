// A list of which role exports which metric, written by hand. Tests check the code and docs/metrics.md against it.

const every = 'serve api coordinator ingest http-worker browser-worker processor'
const workers = 'serve http-worker browser-worker'
const settlers = `${workers} coordinator processor`
const leaders = 'serve coordinator'
const browsers = 'serve browser-worker'
const ofTheStore = 'serve api coordinator'

/** For each metric, without `kscrape_` in its name: `serve` and the roles of a cluster that export it. */
export const toldBy: Record<string, string> = {
  // Metrics of requests: outcomes, durations, bytes and hosts.
  requests_total: settlers,
  request_duration_seconds: workers,
  response_bytes_total: workers,
  host_requests: workers,
  // Metrics of waiting work: queue, backlog, tasks by state and concurrency.
  queue_depth: ofTheStore,
  jobs_open: ofTheStore,
  tasks_by_state: ofTheStore,
  next_retry_seconds: ofTheStore,
  tasks_due: leaders,
  tasks_waiting: leaders,
  backlog: 'api coordinator',
  backlog_age_seconds: 'api coordinator',
  runnable: 'coordinator',
  tasks_in_flight: every.replace(' api', ''),
  concurrency_in_use: 'serve http-worker',
  concurrency_limit: 'serve http-worker',
  // Metrics of task outcomes, and of the group commits that store them.
  tasks_total: settlers,
  task_duration_seconds: settlers,
  records_total: settlers,
  commit_tasks: settlers,
  commit_duration_seconds: settlers,
  // Jobs.
  jobs_total: leaders,
  job_duration_seconds: leaders,
  rows_total: 'serve ingest',
  // Metrics of hosts: breakers, rates and robots.txt.
  hosts: leaders,
  hosts_slowed: leaders,
  hosts_paused: leaders,
  hosts_throttled_total: leaders,
  host_breaker_open: leaders,
  host_rate_factor: leaders,
  robots_read_total: leaders,
  // Proxies, webhooks.
  proxy_healthy: leaders,
  proxy_successes: leaders,
  proxy_failures: leaders,
  webhook_deliveries_total: leaders,
  // Browsers.
  browsers_active: browsers,
  browser_pages_open: browsers,
  browser_pages_free: browsers,
  browser_pages_loaded: browsers,
  browser_replacements: browsers,
  browser_memory_bytes: browsers,
  browser_connections_open: browsers,
  // The API.
  http_answers_total: 'serve api',
  http_answer_duration_seconds: 'serve api',
  // Metrics of the process: event loop delay, memory, CPU and uptime.
  nodejs_eventloop_lag_seconds: every,
  nodejs_eventloop_lag_p99_seconds: every,
  nodejs_heap_size_used_bytes: every,
  nodejs_external_memory_bytes: every,
  nodejs_gc_duration_seconds: every,
  process_resident_memory_bytes: every,
  process_cpu_seconds_total: every,
  process_open_fds: every,
  process_start_time_seconds: every,
  disk_free_bytes: 'serve',
}

/** The other metrics of Node's own collector are not listed one by one. */
export const isOfNode = (name: string): boolean => /^kscrape_(nodejs|process)_/.test(name)

/** The full names of all metrics, by role. */
export const namesByRole = (): Map<string, string[]> =>
  new Map(
    every
      .split(' ')
      .map(role => [
        role,
        Object.entries(toldBy).flatMap(([name, by]) =>
          by.split(' ').includes(role) ? `kscrape_${name}` : [],
        ),
      ]),
  )
