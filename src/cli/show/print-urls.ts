// Prints the URLs that a map job found, one per line.
import type { Job } from '../../model/job.ts'
import { listedUrls } from '../../pipeline/report/listed-urls.ts'
import type { Engine } from '../../roles/engine.ts'
import { print } from '../print.ts'

export async function printUrls(engine: Engine, job: Job): Promise<void> {
  for await (const urls of listedUrls(engine.data.store, job)) print(urls.join('\n'))
}
