// What makes a job's records: its name, which the records carry, and what tells it from one that would make others.
import { hash } from 'node:crypto'
import { rulesName } from '../../extract/rules/rules-name.ts'
import type { JobSpec } from '../../model/job.ts'
import type { Scraper } from '../../scraper/define-scraper.ts'

/** `id@version` of the scraper; rules of the job's own have their content for a version. */
export const makerName = ({ extract }: Pick<JobSpec, 'extract'>, scraper: Scraper): string =>
  extract ? rulesName(extract) : `${scraper.id}@${scraper.version}`

/** Changes with the code as well: who is at work on a scraper does not count its version up with every try. */
export function makerPrint(spec: JobSpec, scraper: Scraper): string {
  const { rules, run, validate } = scraper
  const { extract, llm, llmTokens, pii } = spec
  const asked = { extract, llm, llmTokens, pii }
  const text = JSON.stringify([makerName(spec, scraper), asked, rules, String(run), String(validate)])
  return hash('sha256', text, 'base64url').slice(0, 22)
}
