// The language model that the operator set up, and the refusal of jobs that want one where there is none.
import type { Settings } from '../config/settings.ts'
import type { LlmSettings } from '../extract/llm/client.ts'
import { Failure } from '../model/failures.ts'
import { asksModel, type JobSpec } from '../model/job.ts'

export function llmSettingsOf({ llmBaseUrl, llmApiKey, llmModel }: Settings): LlmSettings | null {
  if (!llmBaseUrl || !llmModel) return null
  return { baseUrl: llmBaseUrl, apiKey: llmApiKey ?? null, model: llmModel }
}

export function refuseWithoutModel(spec: Pick<JobSpec, 'llm'>, settings: Settings): void {
  const { llm } = spec
  if (!asksModel(spec) || llmSettingsOf(settings)) return
  throw new Failure(
    'input.invalid',
    `the job asks a language model (llm: ${llm}), and none is set up: SCRAPER_LLM_BASE_URL and SCRAPER_LLM_MODEL say which`,
    { llm },
  )
}
