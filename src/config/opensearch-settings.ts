// The settings of the OpenSearch sink. The sink is off without an address.
import * as z from 'zod'
import { setting, whole } from './setting-kinds.ts'

export const openSearchSettings = {
  opensearchUrl: setting(
    'SCRAPER_OPENSEARCH_URL',
    'An OpenSearch (or compatible) endpoint that receives records as they are committed.',
    z.url({ protocol: /^https?$/ }).optional(),
  ),
  opensearchIndex: setting(
    'SCRAPER_OPENSEARCH_INDEX',
    'The index of a record: `{workspace}`, `{scraper}`, `{host}`, `{yyyy}`, `{mm}` and `{dd}` are placeholders.',
    z
      .string()
      .min(1)
      .max(200)
      .regex(
        /^(?:[a-z0-9._-]|\{(?:workspace|scraper|host|yyyy|mm|dd)\})+$/,
        'small letters, digits, ".", "_", "-" and {…}',
      )
      .regex(/^[^_.-]/, 'no "_", "." or "-" at the beginning')
      .default('kscrape-{workspace}-{yyyy}.{mm}'),
  ),
  opensearchUser: setting(
    'SCRAPER_OPENSEARCH_USER',
    'The user for OpenSearch, with `SCRAPER_OPENSEARCH_PASSWORD`.',
    z.string().min(1).max(200).optional(),
  ),
  opensearchPassword: setting(
    'SCRAPER_OPENSEARCH_PASSWORD',
    'The password of `SCRAPER_OPENSEARCH_USER`.',
    z.string().optional(),
  ),
  opensearchApiKey: setting(
    'SCRAPER_OPENSEARCH_API_KEY',
    'The API key for OpenSearch, instead of a user and password. It is sent as `Authorization: ApiKey …`.',
    z.string().min(1).optional(),
  ),
  opensearchBatch: setting(
    'SCRAPER_OPENSEARCH_BATCH',
    'How many records are sent at a time.',
    whole.min(1).max(10_000).default(500),
  ),
}
