// The configured language model. Refuses jobs that need a model if none is configured.
import type { Settings } from '../config/settings.ts'
import type { LlmSettings } from '../extract/llm/client.ts'
import type { ExtractionRules } from '../model/extraction-rules.ts'
import { Failure } from '../model/failures.ts'
import { asksModel, type JobSpec } from '../model/job.ts'
import type { Registry } from '../scraper/registry.ts'

export function llmSettingsOf({ llmBaseUrl, llmApiKey, llmModel }: Settings): LlmSettings | null {
  if (!llmBaseUrl || !llmModel) return null
  return { baseUrl: llmBaseUrl, apiKey: llmApiKey ?? null, model: llmModel }
}

export function refuseWithoutModel(spec: Pick<JobSpec, 'llm'>, settings: Settings): void {
  const { llm } = spec
  if (!asksModel(spec) || llmSettingsOf(settings)) return
  throw new Failure(
    'input.invalid',
    `the job uses a language model (llm: ${llm}), but none is configured: set SCRAPER_LLM_BASE_URL and SCRAPER_LLM_MODEL`,
    { llm },
  )
}

/** Refuses a job that names a model but would never use it. A model fills only required and wanted fields of rules. */
export function refuseUselessModel(
  spec: Pick<JobSpec, 'llm' | 'extract' | 'scraperId'>,
  registry: Registry,
): void {
  if (!asksModel(spec)) return
  const { rules = null, run } = registry.get(spec.scraperId)
  const given = spec.extract ?? rules
  const what = run ? `scraper ${spec.scraperId} is code` : 'it has no rules'
  const why =
    given === null
      ? what
      : hasRequired(given)
        ? null
        : 'its rules have no required or wanted field without a default'
  if (why === null) return
  const way =
    'a model fills only fields with `required: true` or `wanted: true` that have no default and that the rules do not find'
  throw new Failure('input.invalid', `the job uses a language model (llm: ${spec.llm}), but ${why}; ${way}`, {
    llm: spec.llm,
  })
}

const hasRequired = ({ fields }: ExtractionRules): boolean =>
  Object.values(fields).some(
    rule => typeof rule !== 'string' && (rule.required || rule.wanted) === true && rule.default === undefined,
  )
