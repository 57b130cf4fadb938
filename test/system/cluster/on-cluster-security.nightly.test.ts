// Runs tests of the promises in docs/security.md again on a cluster: cache, keys, consent, bodies, unusable input.
import { onCluster } from '../../support/suites-on-cluster.ts'

onCluster(
  [
    'answers-stay-in-their-workspace',
    'consent',
    'crawl-traps',
    'request-bodies',
    // The other tests of this suite revoke keys with the command line, and need the log of one process.
    { name: 'revoked-keys', only: 'the service revokes their key' },
    { name: 'sitemaps', only: 'fails its task with the reason' },
    'unusable-input',
    'webhook-passwords',
  ],
  'security',
)
