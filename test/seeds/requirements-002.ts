// Seed 002, the scraping microservice.
import { requirementsOf } from './requirement.ts'

export const seed = requirementsOf(
  '002',
  ['8.3'],
  [
    [
      '8.3',
      'the company website extractor sets missing fields to null',
      'test/properties/property-13-missing-fields.test.ts: has all its keys, and null for exactly what the page lacks',
    ],
    ['1.1', 'a Python project with FastAPI, Playwright and Pydantic', 'mapping M-002-stack'],
  ],
)
