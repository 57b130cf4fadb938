// The dashboards of Grafana: rows of panels, each a title and a query. `npm run docs` writes them to deploy/grafana/dashboards.

interface Panel {
  title: string
  query: string
  /** The name of a line; `{{label}}` stands for a label. */
  legend?: string
  unit?: string
  about?: string
}

interface Dashboard {
  uid: string
  title: string
  panels: Panel[]
}

const quantile = (share: number, metric: string, by = ''): string =>
  `histogram_quantile(${share}, sum by (le${by && `, ${by}`}) (rate(${metric}_bucket[5m])))`

export const dashboards: Dashboard[] = [
  {
    uid: 'kscrape-overview',
    title: 'kscrape: overview',
    panels: [
      {
        title: 'Pages per second',
        query: 'sum by (way) (rate(kscrape_requests_total[5m]))',
        legend: '{{way}}',
        unit: 'reqps',
      },
      {
        title: 'Requests by outcome',
        query: 'sum by (outcome) (rate(kscrape_requests_total[5m]))',
        legend: '{{outcome}}',
        unit: 'reqps',
      },
      { title: 'Waiting tasks', query: 'max(kscrape_queue_depth)', unit: 'short' },
      {
        title: 'Backlog by kind of work',
        query: 'max by (queue) (kscrape_backlog)',
        legend: '{{queue}}',
        about: 'All tasks that wait or run, whenever they are due.',
      },
      {
        title: 'Runnable work by kind',
        query: 'max by (queue) (kscrape_runnable)',
        legend: '{{queue}}',
        about: 'In progress, or due within a minute. Roles of a cluster are scaled on it.',
      },
      {
        title: 'Oldest message without a worker',
        query: 'max by (queue) (kscrape_backlog_age_seconds)',
        legend: '{{queue}}',
        unit: 's',
        about: 'In a cluster: how long the oldest message has waited in its stream.',
      },
      { title: 'Jobs that have not ended', query: 'max(kscrape_jobs_open)' },
      {
        title: 'Tasks of open jobs, by state',
        query: 'max by (state) (kscrape_tasks_by_state)',
        legend: '{{state}}',
      },
      {
        title: 'Ended task attempts, by state',
        query: 'sum by (state) (rate(kscrape_tasks_total[5m]))',
        legend: '{{state}}',
        unit: 'ops',
      },
      {
        title: 'Duration of page requests, 95th percentile',
        query: quantile(0.95, 'kscrape_request_duration_seconds', 'way'),
        legend: '{{way}}',
        unit: 's',
      },
      {
        title: 'Duration of jobs, median',
        query: quantile(0.5, 'kscrape_job_duration_seconds'),
        unit: 's',
      },
      { title: 'Records per second', query: 'sum(rate(kscrape_records_total[5m]))', unit: 'ops' },
      {
        title: 'Tasks in flight',
        query: 'sum by (instance) (kscrape_tasks_in_flight)',
        legend: '{{instance}}',
      },
      {
        title: 'Concurrency: share in use',
        query:
          'sum by (instance) (kscrape_concurrency_in_use) / (sum by (instance) (kscrape_concurrency_limit) > 0)',
        legend: '{{instance}}',
        unit: 'percentunit',
      },
      {
        title: 'Rows of files per second',
        query: 'sum by (outcome) (rate(kscrape_rows_total[5m]))',
        legend: '{{outcome}}',
        unit: 'ops',
      },
      {
        title: 'Commits: duration, 99th percentile',
        query: quantile(0.99, 'kscrape_commit_duration_seconds'),
        unit: 's',
      },
      { title: 'Commits: tasks per commit, median', query: quantile(0.5, 'kscrape_commit_tasks') },
      {
        title: 'API: responses per second',
        query: 'sum by (status) (rate(kscrape_http_answers_total[5m]))',
        legend: '{{status}}',
        unit: 'reqps',
      },
      {
        title: 'API: response time, 99th percentile',
        query: quantile(0.99, 'kscrape_http_answer_duration_seconds'),
        unit: 's',
      },
      {
        title: 'Webhooks',
        query: 'sum by (outcome) (increase(kscrape_webhook_deliveries_total[5m]))',
        legend: '{{outcome}}',
      },
      {
        title: 'Event loop: lag, 99th percentile',
        query: 'max by (instance) (kscrape_nodejs_eventloop_lag_p99_seconds)',
        legend: '{{instance}}',
        unit: 's',
      },
      {
        title: 'Memory',
        query: 'sum by (instance) (kscrape_process_resident_memory_bytes)',
        legend: '{{instance}}',
        unit: 'bytes',
      },
      {
        title: 'CPU',
        query: 'sum by (instance) (rate(kscrape_process_cpu_seconds_total[5m]))',
        legend: '{{instance}}',
        unit: 'percentunit',
      },
      {
        title: 'Free disk space',
        query: 'min by (instance) (kscrape_disk_free_bytes)',
        legend: '{{instance}}',
        unit: 'bytes',
      },
    ],
  },
  {
    uid: 'kscrape-hosts',
    title: 'kscrape: hosts',
    panels: [
      {
        title: 'Hosts with the most requests',
        query: 'sum by (host) (kscrape_host_requests)',
        legend: '{{host}}',
        about: 'The twenty with the most requests; GET /hosts lists all.',
      },
      {
        title: 'Responses that asked us to slow down',
        query: 'sum(increase(kscrape_hosts_throttled_total[5m]))',
      },
      { title: 'Breakers', query: 'sum by (breaker) (kscrape_hosts)', legend: '{{breaker}}' },
      {
        title: 'Hosts whose breaker is open',
        query: 'max by (host) (kscrape_host_breaker_open)',
        legend: '{{host}}',
        about:
          '1: open, no requests. 0.5: half-open, one probe request. Twenty at most; GET /hosts lists all.',
      },
      { title: 'Hosts that are slowed down', query: 'sum(kscrape_hosts_slowed)' },
      {
        title: 'Slowed hosts: share of their usual rate',
        query: 'min by (host) (kscrape_host_rate_factor)',
        legend: '{{host}}',
        unit: 'percentunit',
        about: 'A 429 halves the rate, which recovers in steps. Twenty at most.',
      },
      { title: 'Hosts that are paused', query: 'sum(kscrape_hosts_paused)' },
      {
        title: 'robots.txt',
        query: 'sum by (verdict) (increase(kscrape_robots_read_total[5m]))',
        legend: '{{verdict}}',
      },
      {
        title: 'Failed requests, by reason',
        query:
          'topk(10, sum by (outcome) (increase(kscrape_requests_total{outcome!~"ok|cached|not-modified"}[5m])))',
        legend: '{{outcome}}',
      },
      {
        title: 'Share of failed requests',
        query:
          'sum(rate(kscrape_requests_total{outcome!~"ok|cached|not-modified"}[15m])) / (sum(rate(kscrape_requests_total[15m])) > 0)',
        unit: 'percentunit',
      },
      {
        title: 'Healthy proxies',
        query: 'sum by (proxy) (kscrape_proxy_healthy)',
        legend: '{{proxy}}',
      },
      {
        title: 'Proxies: failed tasks',
        query: 'sum by (proxy) (kscrape_proxy_failures)',
        legend: '{{proxy}}',
      },
    ],
  },
  {
    uid: 'kscrape-browsers',
    title: 'kscrape: browsers',
    panels: [
      {
        title: 'Running browsers',
        query: 'sum by (instance) (kscrape_browsers_active)',
        legend: '{{instance}}',
      },
      {
        title: 'Open browser pages',
        query: 'sum by (instance) (kscrape_browser_pages_open)',
        legend: '{{instance}}',
      },
      {
        title: 'Free browser pages',
        query: 'sum by (instance) (kscrape_browser_pages_free)',
        legend: '{{instance}}',
      },
      {
        title: 'Pages rendered per second',
        query: 'sum(rate(kscrape_requests_total{way="browser"}[5m]))',
        unit: 'reqps',
      },
      {
        title: 'Render time, 95th percentile',
        query: quantile(0.95, 'kscrape_request_duration_seconds{way="browser"}').replace(
          '{way="browser"}_bucket',
          '_bucket{way="browser"}',
        ),
        unit: 's',
      },
      {
        title: 'Browser replacements',
        query: 'sum by (instance) (delta(kscrape_browser_replacements[10m]))',
        legend: '{{instance}}',
      },
      {
        title: 'Memory of browsers',
        query: 'sum by (instance) (kscrape_browser_memory_bytes)',
        legend: '{{instance}}',
        unit: 'bytes',
      },
    ],
  },
  {
    uid: 'kscrape-cost',
    title: 'kscrape: cost',
    panels: [
      {
        title: 'Bytes per second',
        query: 'sum by (way) (rate(kscrape_response_bytes_total[5m]))',
        legend: '{{way}}',
        unit: 'Bps',
      },
      {
        title: 'Gigabytes per day',
        query: 'sum(increase(kscrape_response_bytes_total[1d])) / 1e9',
        unit: 'decgbytes',
      },
      {
        title: 'Hours of browser pages per day',
        query: 'sum(increase(kscrape_request_duration_seconds_sum{way="browser"}[1d])) / 3600',
        unit: 'h',
      },
      {
        title: 'CPU seconds per 1,000 pages',
        query:
          '1000 * sum(rate(kscrape_process_cpu_seconds_total[15m])) / (sum(rate(kscrape_requests_total[15m])) > 0)',
        unit: 's',
      },
      { title: 'Pages per day', query: 'sum(increase(kscrape_requests_total[1d]))' },
    ],
  },
]

/** In Grafana's format: two panels side by side. */
export function grafanaJson({ uid, title, panels }: Dashboard): string {
  const shown = panels.map(({ title: name, query, legend, unit = 'short', about }, index) => ({
    id: index + 1,
    type: 'timeseries',
    title: name,
    ...(about && { description: about }),
    datasource: { type: 'prometheus', uid: 'prometheus' },
    gridPos: { x: (index % 2) * 12, y: Math.floor(index / 2) * 8, w: 12, h: 8 },
    fieldConfig: {
      defaults: { unit, min: 0, custom: { fillOpacity: 10, showPoints: 'never' } },
      overrides: [],
    },
    targets: [{ refId: 'A', expr: query, legendFormat: legend ?? name }],
  }))
  const dashboard = {
    ...{ uid, title, tags: ['kscrape'], schemaVersion: 41, editable: true, refresh: '30s' },
    ...{ time: { from: 'now-6h', to: 'now' }, panels: shown },
  }
  return `${JSON.stringify(dashboard, null, 2)}\n`
}
