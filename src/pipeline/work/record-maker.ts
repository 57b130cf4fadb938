// Identifies the extractor of a job's records: its name, which records carry, and a fingerprint that changes with its code.
import { hash } from 'node:crypto'
import type { ExtractionRules } from '../../model/extraction-rules.ts'
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

const versionLength = 8

/** For example `rules@1f2e3d4c`. Comments and layout of the file do not change it; the order of fields does. */
const rulesName = (rules: ExtractionRules): string =>
  `rules@${hash('sha256', JSON.stringify(rules), 'hex').slice(0, versionLength)}`
