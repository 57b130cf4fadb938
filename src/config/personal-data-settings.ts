// The setting for personal data in records.
import * as z from 'zod'
import { parsePiiDefaults } from '../model/personal-data.ts'
import { setting } from './setting-kinds.ts'

export const personalDataSettings = {
  pii: setting(
    'SCRAPER_PII',
    'Personal data in records where a job does not say: `keep`, `mask` or `drop`; workspaces can have their own: `keep,team=mask`. A job can be stricter. Less strict takes a key with the scope `personal_data`.',
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
