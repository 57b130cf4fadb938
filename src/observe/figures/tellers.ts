// Who tells figures: one process that does everything, or a role of a cluster.

export const tellers = [
  'serve',
  'api',
  'coordinator',
  'ingest',
  'http-worker',
  'browser-worker',
  'processor',
  'sqs-intake',
] as const

export type Teller = (typeof tellers)[number]
