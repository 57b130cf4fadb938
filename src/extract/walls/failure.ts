// Converts a wall to the failure of its task.
import { Failure } from '../../model/failures.ts'
import type { Wall, WallCode } from './wall.ts'

const sentences: Record<WallCode, string> = {
  'blocked.captcha': 'asks whether the visitor is human',
  'blocked.login': 'wants a login',
  'blocked.consent': 'wants consent before it shows anything',
  'blocked.refused': 'turned us away',
  'host.throttled': 'says that we ask too often',
  'page.soft-not-found': 'says that it is not there',
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
