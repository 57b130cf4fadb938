// Runs tests of the promises in docs/security.md again on a cluster.
import { onCluster } from '../../support/suites-on-cluster.ts'

onCluster(
  [
    'answers-stay-in-their-workspace',
    'consent',
    'crawl-traps',
    'egress-crawl',
    'forged-labels',
    'headers-stay-with-their-origin',
    'hostile-callers.long',
    'landing-pages-ask-robots.long',
    'live-view.long',
    'mcp',
    'monitors',
    'previews',
    // The other tests of this suite change files in the data directory.
    { name: 'raw-exports', only: 'the same id' },
    'readers-see-no-secrets',
    'request-bodies',
    // The other tests of this suite revoke keys with the command line, and need the log of one process.
    { name: 'revoked-keys', only: 'the service revokes their key' },
    'scraper-handlers',
    'secrets-of-actions.long',
    'sessions-stay-in-their-workspace',
    { name: 'sitemaps', only: 'fails its task with the reason' },
    'two-workspaces-are-two-services',
    'unusable-input',
    'upgrade-offers',
    'upload-urls',
    'web-search',
    'webhook-passwords',
  ],
  'security',
)
