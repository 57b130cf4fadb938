// Detects walls from a response. Ordinary pages need only a short check.
import { captchaWall } from './captcha.ts'
import { consentWall } from './consent.ts'
import { loginWall } from './login.ts'
import { notFoundWall } from './not-found.ts'
import { PageSummary } from './page-summary.ts'
import { refusedWall, throttledWall } from './refusal.ts'
import { suspicionOf } from './suspicion.ts'
import type { Answer, Wall } from './wall.ts'

export { type Answer, type Wall, wallFailure } from './wall.ts'

/** Null if the response is the requested page, or an error that is not a wall. */
export function wallOf(answer: Answer): Wall | null {
  if (answer.status === 404 || answer.status === 410) return null
  if (answer.status >= 400) return errorWall(new PageSummary(shortened(answer), true))
  const suspicion = suspicionOf(answer)
  return suspicion === 'none' ? null : pageWall(new PageSummary(answer, suspicion === 'marked'))
}

function errorWall(summary: PageSummary): Wall | null {
  const blocks = captchaWall(summary) ?? throttledWall(summary)
  if (blocks) return blocks
  const mayLogIn = summary.status === 401 || summary.status === 403
  return (mayLogIn ? loginWall(summary) : null) ?? refusedWall(summary)
}

const pageWall = (summary: PageSummary): Wall | null =>
  captchaWall(summary) ??
  refusedWall(summary) ??
  throttledWall(summary) ??
  loginWall(summary) ??
  consentWall(summary) ??
  notFoundWall(summary)

/** Maximum number of characters of an error page that are read. The message is at the start of the page. */
const longestError = 200_000
const shortened = (answer: Answer): Answer =>
  answer.source.length <= longestError ? answer : { ...answer, source: answer.source.slice(0, longestError) }
