// Every face of the service. To add one: write it beside these and name it here.
import type { Face } from '../app.ts'
import { healthFace } from './health.ts'
import { jobsFace } from './jobs/index.ts'
import { keysFace } from './keys.ts'
import { schedulesFace } from './schedules/index.ts'
import { scrapeFace } from './scrape/index.ts'
import { uploadsFace } from './uploads/index.ts'
import { webhooksFace } from './webhooks/index.ts'

export const faces: readonly Face[] = [
  jobsFace,
  scrapeFace,
  uploadsFace,
  schedulesFace,
  webhooksFace,
  keysFace,
  healthFace,
]
