// Walls: what stands where the page should be, told from the answer alone. An ordinary page is let go after a short look.
import { captchaWall } from './captcha.ts'
import { consentWall } from './consent.ts'
import { Glance } from './glance.ts'
import { loginWall } from './login.ts'
import { notFoundWall } from './not-found.ts'
import { refusedWall, throttledWall } from './refusal.ts'
import { suspicionOf } from './suspicion.ts'
import type { Answer, Wall } from './wall.ts'

export { wallFailure } from './failure.ts'
export type { Answer, Wall, WallCode } from './wall.ts'

/** Null where the answer is what was asked for, or an error that is no wall. */
export function wallOf(answer: Answer): Wall | null {
  if (answer.status === 404 || answer.status === 410) return null
  if (answer.status >= 400) return errorWall(new Glance(shortened(answer), true))
  const suspicion = suspicionOf(answer)
  return suspicion === 'none' ? null : pageWall(new Glance(answer, suspicion === 'marked'))
}

function errorWall(glance: Glance): Wall | null {
  const blocks = captchaWall(glance) ?? throttledWall(glance)
  if (blocks) return blocks
  const mayLogIn = glance.status === 401 || glance.status === 403
  return (mayLogIn ? loginWall(glance) : null) ?? refusedWall(glance)
}

const pageWall = (glance: Glance): Wall | null =>
  captchaWall(glance) ??
  refusedWall(glance) ??
  throttledWall(glance) ??
  loginWall(glance) ??
  consentWall(glance) ??
  notFoundWall(glance)

/** The page of an error says what it has to say at its start. */
const longestError = 200_000
const shortened = (answer: Answer): Answer =>
  answer.source.length <= longestError ? answer : { ...answer, source: answer.source.slice(0, longestError) }
