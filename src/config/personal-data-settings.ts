// The setting for personal data in records.
import * as z from 'zod'
import { parsePiiDefaults } from '../model/personal-data.ts'
import { setting } from './setting-kinds.ts'

export const personalDataSettings = {
  pii: setting(
    'SCRAPER_PII',
    'The default for personal data in records: `keep`, `mask` or `drop`, also by workspace: `keep,team=mask`. A job can be stricter. To submit a job that is less strict, a key needs the scope `personal_data`.',
    z
      .string()
      .superRefine((text, context) => {
        try {
          parsePiiDefaults(text)
        } catch (error) {
          context.addIssue({ code: 'custom', message: (error as Error).message })
        }
      })
      .default('keep'),
  ),
}
