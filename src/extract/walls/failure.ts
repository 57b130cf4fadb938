// Converts a wall to the failure of its task.
import { Failure } from '../../model/failures.ts'
import type { Wall, WallCode } from './wall.ts'

const sentences: Record<WallCode, string> = {
  'blocked.captcha': 'asks whether the visitor is human',
  'blocked.login': 'requires a login',
  'blocked.consent': 'requires consent before it shows content',
  'blocked.refused': 'refused us',
  'host.throttled': 'says that we send too many requests',
  'page.soft-not-found': 'says that the page does not exist',
}

/** `details` contains facts from the response, such as how long to wait. */
export function wallFailure(
  { code, evidence, vendor }: Wall,
  page: { url: string; status: number },
  details: Record<string, unknown> = {},
): Failure {
  const message = `${page.url} ${sentences[code]}: ${evidence.join(', ')}`
  return new Failure(code, message, { ...details, status: page.status, evidence, ...(vendor && { vendor }) })
}
