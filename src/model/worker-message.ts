// A queue message that names one item of a job.
import * as z from 'zod'
import { id } from './ids.ts'

/** `policy` is the policy of this item, as in `POST /jobs`. */
export const workerMessage = z.strictObject({
  job_id: id,
  item_id: z.string().min(1).max(200),
  scraper_id: z.string().min(1).max(200).optional(),
  input: z.record(z.string(), z.unknown()),
  policy: z.record(z.string(), z.unknown()).optional(),
})
export type WorkerMessage = z.output<typeof workerMessage>
