// The settings of a cluster: the services it stands on, and what its processes have in common.
import * as z from 'zod'
import { onOff, setting, whole } from './setting-kinds.ts'

export const clusterSettings = {
  databaseUrl: setting(
    'DATABASE_URL',
    'PostgreSQL, for `kscrape migrate` and `kscrape start`: like `postgres://user:password@host/database`.',
    z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'an address like postgres://user:password@host/database')
      .optional(),
  ),
  redisUrl: setting(
    'REDIS_URL',
    'Redis 7 or newer, for `kscrape start`: like `redis://host:6379`.',
    z
      .string()
      .regex(/^rediss?:\/\//, 'an address like redis://host:6379')
      .optional(),
  ),
  shards: setting(
    'SCRAPER_SHARDS',
    'How many coordinators share the hosts of a cluster, each of them leading its own; the same for every process.',
    z.coerce.number().int().min(1).max(64).default(1),
  ),
  redisPrefix: setting(
    'SCRAPER_REDIS_PREFIX',
    'Stands before every key in Redis, so that several clusters can share one.',
    z.string().max(100).default('kscrape:'),
  ),
  s3Endpoint: setting(
    'S3_ENDPOINT',
    'Where objects are kept, for `kscrape start`, when that is not AWS itself.',
    z.url({ protocol: /^https?$/ }).optional(),
  ),
  s3PublicEndpoint: setting(
    'S3_PUBLIC_ENDPOINT',
    'The same server as callers reach it: signed URLs of uploads and exports lead there. Without it, to `S3_ENDPOINT`.',
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
    'Who asks for objects; without it, the usual places of the AWS SDK are looked at.',
    z.string().min(1).optional(),
  ),
  s3SecretAccessKey: setting(
    'AWS_SECRET_ACCESS_KEY',
    'The key that goes with it.',
    z.string().min(1).optional(),
  ),
  s3PathStyle: setting(
    'S3_PATH_STYLE',
    'Whether the bucket stands in the path and not in the host name; `auto` does where `S3_ENDPOINT` is set.',
    z.union([z.literal('auto'), onOff]).default('auto'),
  ),
  clusterSecret: setting(
    'SCRAPER_CLUSTER_SECRET',
    'What the processes of a cluster share to seal headers of jobs and to sign upload URLs. Without it each has keys in its data directory, which must then be the same one.',
    z.string().min(32).max(1_000).optional(),
  ),
  otherClusterSecret: setting(
    'SCRAPER_OTHER_CLUSTER_SECRET',
    'A second cluster secret, while it is changed: what is sealed with it is still opened (`kscrape keys rotate-seal`).',
    z.string().min(32).max(1_000).optional(),
  ),
  healthPort: setting(
    'SCRAPER_HEALTH_PORT',
    'Where the roles of `kscrape start` answer `/healthz`, `/readiness` and `/metrics` without a key; the API does so here beside its own port. None without it.',
    whole.min(0).max(65_535).optional(),
  ),
}
