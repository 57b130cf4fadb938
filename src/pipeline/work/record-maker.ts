// Identifies the extractor of a job's records: its name, which records carry, and a fingerprint that changes with its code.
import { hash } from 'node:crypto'
import { rulesName } from '../../extract/rules/rules-name.ts'
import type { JobSpec } from '../../model/job.ts'
import type { Scraper } from '../../scraper/define-scraper.ts'

/** `id@version` of the scraper. For the job's own rules, the version is a hash of the rules. */
export const makerName = ({ extract }: Pick<JobSpec, 'extract'>, scraper: Scraper): string =>
  extract ? rulesName(extract) : `${scraper.id}@${scraper.version}`

/** The fingerprint. It includes the code, because authors do not raise the version with every change. */
export function makerPrint(spec: JobSpec, scraper: Scraper): string {
  const { rules, run, validate } = scraper
  const { extract, llm, llmTokens, pii } = spec
  const asked = { extract, llm, llmTokens, pii }
  const text = JSON.stringify([makerName(spec, scraper), asked, rules, String(run), String(validate)])
  return hash('sha256', text, 'base64url').slice(0, 22)
}
