// The settings of what is kept for how long; a job may say otherwise for what is its own.
import { bytes, duration, setting } from './setting-kinds.ts'

export const retentionSettings = {
  rawRetention: setting(
    'SCRAPER_RAW_RETENTION',
    'How long raw pages of ended jobs are kept; `0s` keeps them for ever.',
    duration.default(30 * 86_400_000),
  ),
  rawMaxBytes: setting(
    'SCRAPER_RAW_MAX_BYTES',
    'Raw pages of ended jobs are deleted, oldest first, above this size; 0 for no limit.',
    bytes.default(0),
  ),
  artifactRetention: setting(
    'SCRAPER_ARTIFACT_RETENTION',
    'How long screenshots, PDFs, downloads and traces of ended jobs are kept; `0s` keeps them for ever. Default: as raw pages.',
    duration.optional(),
  ),
  recordRetention: setting(
    'SCRAPER_RECORD_RETENTION',
    'How long records of ended jobs are kept; `0s` keeps them for ever.',
    duration.default(0),
  ),
  exportRetention: setting(
    'SCRAPER_EXPORT_RETENTION',
    'How long files are kept that a service made for ended jobs; `0s` keeps them for ever.',
    duration.default(0),
  ),
  uploadRetention: setting(
    'SCRAPER_UPLOAD_RETENTION',
    'How long uploads are kept that no job reads and no schedule names; `0s` keeps them for ever.',
    duration.default(0),
  ),
  jobRetention: setting(
    'SCRAPER_JOB_RETENTION',
    'How long ended jobs are kept, with all that is left of them; `0s` keeps them for ever. The last two runs of a schedule stay.',
    duration.default(0),
  ),
  gcEvery: setting(
    'SCRAPER_GC_EVERY',
    'How often what was kept long enough is looked for; `0s` only when work begins. `kscrape gc` does it at once.',
    duration.default(3_600_000),
  ),
  webhookRetention: setting(
    'SCRAPER_WEBHOOK_RETENTION',
    'How long webhooks that were delivered or given up are kept, with their bodies and the log of their deliveries; `0s` keeps them for ever.',
    duration.default(30 * 86_400_000),
  ),
  answerRetention: setting(
    'SCRAPER_ANSWER_RETENTION',
    'How long answers are remembered: of sites, for jobs with `max_age_ms`, from when the site last confirmed them; and of language models.',
    duration.default(30 * 86_400_000),
  ),
}
