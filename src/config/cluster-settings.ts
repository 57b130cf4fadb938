// Settings of a cluster: its services, and values that all processes share.
import * as z from 'zod'
import { onOff, setting, whole } from './setting-kinds.ts'

export const clusterSettings = {
  databaseUrl: setting(
    'DATABASE_URL',
    'The URL of PostgreSQL, for `kscrape migrate` and `kscrape start`, like `postgres://user:password@host/database`.',
    z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'an address like postgres://user:password@host/database')
      .optional(),
  ),
  redisUrl: setting(
    'REDIS_URL',
    'The URL of Redis 7 or newer, for `kscrape start`, like `redis://host:6379`.',
    z
      .string()
      .regex(/^rediss?:\/\//, 'an address like redis://host:6379')
      .optional(),
  ),
  shards: setting(
    'SCRAPER_SHARDS',
    'The number of shards: the parts into which a cluster divides all hosts. Every process of the cluster needs the same number.',
    z.coerce.number().int().min(1).max(64).default(1),
  ),
  redisPrefix: setting(
    'SCRAPER_REDIS_PREFIX',
    'A prefix of every key in Redis, so that several clusters can share one Redis.',
    z.string().max(100).default('kscrape:'),
  ),
  s3Endpoint: setting(
    'S3_ENDPOINT',
    'The S3 endpoint for `kscrape start`, if it is not AWS.',
    z.url({ protocol: /^https?$/ }).optional(),
  ),
  s3PublicEndpoint: setting(
    'S3_PUBLIC_ENDPOINT',
    'The public address of the S3 endpoint, for signed URLs of uploads and exports. Default: `S3_ENDPOINT`.',
    z.url({ protocol: /^https?$/ }).optional(),
  ),
  s3Bucket: setting(
    'S3_BUCKET',
    'The bucket for raw pages and results.',
    z.string().min(1).max(255).optional(),
  ),
  s3Region: setting('AWS_REGION', 'The region of the bucket.', z.string().min(1).default('us-east-1')),
  s3AccessKeyId: setting(
    'AWS_ACCESS_KEY_ID',
    'The access key of the bucket. Default: the usual sources of the AWS SDK.',
    z.string().min(1).optional(),
  ),
  s3SecretAccessKey: setting(
    'AWS_SECRET_ACCESS_KEY',
    'The secret of the access key in `AWS_ACCESS_KEY_ID`.',
    z.string().min(1).optional(),
  ),
  s3PathStyle: setting(
    'S3_PATH_STYLE',
    'Whether the bucket is in the path instead of the host name; `auto` uses the path if `S3_ENDPOINT` is set.',
    z.union([z.literal('auto'), onOff]).default('auto'),
  ),
  s3Keys: setting(
    'S3_KEYS',
    'The key layout of results in the bucket: `jobs/{job_id}/…` (`jobs`) or `{job_id}/…` (`seed`). Choose before the first job.',
    z.enum(['jobs', 'seed']).default('jobs'),
  ),
  clusterSecret: setting(
    'SCRAPER_CLUSTER_SECRET',
    'The shared secret of a cluster. It seals headers of jobs and signs upload URLs. Without it, all processes must use the same data directory, because the keys are stored there.',
    z.string().min(32).max(1_000).optional(),
  ),
  otherClusterSecret: setting(
    'SCRAPER_OTHER_CLUSTER_SECRET',
    'A second cluster secret during a rotation: values sealed with it can still be opened (`kscrape keys rotate-seal`).',
    z.string().min(32).max(1_000).optional(),
  ),
  healthPort: setting(
    'SCRAPER_HEALTH_PORT',
    'The port where the roles of `kscrape start` serve `/healthz`, `/readiness` and `/metrics` without a key. The API serves them on its own port too. Default: no port.',
    whole.min(0).max(65_535).optional(),
  ),
}
