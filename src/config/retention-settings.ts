// Retention settings. A job may override them for its own data.
import { bytes, duration, setting } from './setting-kinds.ts'

export const retentionSettings = {
  rawRetention: setting(
    'SCRAPER_RAW_RETENTION',
    'How long raw pages of ended jobs are stored; `0s` means forever.',
    duration.default(30 * 86_400_000),
  ),
  rawMaxBytes: setting(
    'SCRAPER_RAW_MAX_BYTES',
    'The highest size of all raw pages together. Above it, raw pages of ended jobs are deleted, the oldest first; 0 means no limit.',
    bytes.default(0),
  ),
  artifactRetention: setting(
    'SCRAPER_ARTIFACT_RETENTION',
    'How long screenshots, PDFs, downloads and traces of ended jobs are stored; `0s` means forever. Default: the same time as raw pages.',
    duration.optional(),
  ),
  recordRetention: setting(
    'SCRAPER_RECORD_RETENTION',
    'How long records of ended jobs are stored; `0s` means forever.',
    duration.default(0),
  ),
  exportRetention: setting(
    'SCRAPER_EXPORT_RETENTION',
    'How long a service stores output files of ended jobs; `0s` means forever.',
    duration.default(0),
  ),
  uploadRetention: setting(
    'SCRAPER_UPLOAD_RETENTION',
    'How long an upload is stored if no job reads it and no schedule names it; `0s` means forever.',
    duration.default(0),
  ),
  jobRetention: setting(
    'SCRAPER_JOB_RETENTION',
    'How long ended jobs are stored, with all their data; `0s` means forever. The last two runs of a schedule stay.',
    duration.default(0),
  ),
  gcEvery: setting(
    'SCRAPER_GC_EVERY',
    'How often expired data is deleted; `0s` means only at the start. `kscrape gc` deletes expired data at once.',
    duration.default(3_600_000),
  ),
  webhookRetention: setting(
    'SCRAPER_WEBHOOK_RETENTION',
    'How long delivered and failed webhooks are stored, with body and delivery log; `0s` means forever.',
    duration.default(30 * 86_400_000),
  ),
  answerRetention: setting(
    'SCRAPER_ANSWER_RETENTION',
    'How long cached responses of sites (for jobs with `max_age_ms`) and answers of language models are stored. For a response, the time starts when the site last confirmed it.',
    duration.default(30 * 86_400_000),
  ),
}
