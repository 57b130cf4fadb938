// The roles that report metrics: `serve` (one process for everything), or a role of a cluster.

export const reportingRoles = [
  'serve',
  'api',
  'coordinator',
  'ingest',
  'http-worker',
  'browser-worker',
  'processor',
  'sqs-intake',
] as const

export type ReportingRole = (typeof reportingRoles)[number]
