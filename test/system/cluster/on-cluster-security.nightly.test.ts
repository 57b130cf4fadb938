// Promises of docs/security.md that are proved in one process, again on a cluster: cache, keys, consent, bodies, unusable input.
import { onCluster } from '../../support/suites-on-cluster.ts'

onCluster(
  [
    'answers-stay-in-their-workspace',
    'consent',
    'crawl-traps',
    'request-bodies',
    'revoked-keys',
    'sitemaps',
    'unusable-input',
    'webhook-passwords',
  ],
  'security',
)
