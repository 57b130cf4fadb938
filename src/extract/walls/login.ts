// Detects pages that require a login.
import { type PageSummary, placeOf, quoted } from './page-summary.ts'
import { type Wall, wall } from './wall.ts'

const loginPlace =
  /(?:^|[/._-])(?:log-?in|log-?on|sign-?in|sign-?on|sso|oauth2?|saml2?|cas|auth|authorize|authenticate|openid-connect|wp-login|anmelden|anmeldung|einloggen|connexion|se-connecter|iniciar-sesion|acceso|accedi|inloggen|logowanie)(?:[/._-]|$)/i
const loginHost = /^(?:log-?in|sign-?in|sso|auth|accounts?|idp|identity)\./i
const returnParameter =
  /^(?:next|return|return_?(?:url|to|path)|r|ret|redirect|redirect_?(?:url|uri|to|path)|continue|goto|go|dest|destination|service|relaystate|from|back|back_?url|target|url|callback|callback_?url|referer|referrer|ref|came_from|samlrequest|forward|after|original_?url|requested_?url)$/i

export const loginName =
  /^(?:please )?(?:log ?[io]n|sign ?[io]n|log-in|sign-in|anmelden|anmeldung|bitte anmelden|einloggen|connexion|se connecter|connectez-vous|identifiez-vous|iniciar sesi[óo]n|inicia sesi[óo]n|acceder|accedi|entrar|inloggen|logga in|log ind|logg inn|zaloguj się|logowanie|войти|вход|авторизация|登录|登入|ログイン|로그인)(?: (?:to|into|required|page|first|with|bei|zu|à|a|en) .{1,80}| required| page| erforderlich)?[.!…]*$|^(?:members?|users?|customers?|account|admin|staff|student) (?:login|log in|sign[ -]?in)$|^(?:authentication|login|sign-?in|authorization) (?:is )?required[.!]*$|^you (?:must|need to|have to) (?:be logged in|(?:log|sign) ?in).{0,80}$/i
const loginWords =
  /(?:please|must|need to|have to|first) (?:log ?in|sign ?in|be (?:logged|signed) in)|(?:log|sign) in to (?:continue|view|see|access|read)|bitte (?:melden sie sich|melde dich|loggen sie sich) |veuillez vous connecter|(?:inicia|inicie) sesión para|accedi per|members[- ]only|only (?:available|visible) to (?:members|registered)/i
const expiredWords =
  /(?:your )?session (?:has |is )?(?:expired|timed out|ended)|you have been (?:logged|signed) out|sitzung (?:ist )?abgelaufen|session (?:a )?expirée?|sesión (?:ha )?(?:caducad|expirad)/i

const isLoginPlace = (url: URL): boolean => loginPlace.test(url.pathname) || loginHost.test(url.host)

/** On a page with more text than this, a login form is only a part of the page. */
const fewCharacters = 600
const manyCharacters = 3_000

export function loginWall(summary: PageSummary): Wall | null {
  if (summary.status === 401) return wall('blocked.login', ['HTTP 401', ...schemeOf(summary)])
  // The login page itself was requested, so it is not a wall.
  if (isLoginPlace(summary.asked)) return null
  return ledToLogin(summary) ?? (summary.mainLength < fewCharacters ? loginInPlace(summary) : null)
}

function schemeOf(summary: PageSummary): string[] {
  const scheme = /^[\w-]+/.exec(summary.header('www-authenticate').trim())?.[0]
  return scheme ? [`it asks for ${scheme} authentication`] : []
}

/** True if another page was requested but the response came from a login URL. Does not check the content. */
export function leadsToLogin(url: string, finalUrl: string): boolean {
  const final = new URL(finalUrl)
  return isLoginPlace(final) && !isLoginPlace(new URL(url))
}

function ledToLogin(summary: PageSummary): Wall | null {
  if (!summary.isElsewhere || !isLoginPlace(summary.final) || summary.mainLength >= manyCharacters)
    return null
  const returns = [...summary.final.searchParams.keys()].find(name => returnParameter.test(name))
  const signs = [
    ...(returns ? [`a return URL in the parameter "${returns}"`] : []),
    ...(summary.passwords > 0 ? ['it asks for a password'] : []),
    ...nameOf(summary),
  ]
  return signs.length > 0
    ? wall('blocked.login', [`redirected to ${placeOf(summary.final)}`, ...signs])
    : null
}

function nameOf(summary: PageSummary): string[] {
  const name = summary.named(loginName)
  return name ? [quoted('it says', name)] : []
}

function loginInPlace(summary: PageSummary): Wall | null {
  const expired = expiredWords.exec(summary.text)?.[0]
  const hasWay = summary.passwords > 0 || /log ?in|sign ?in|anmelden|connecter|iniciar/i.test(summary.text)
  if (expired && hasWay) return wall('blocked.login', [quoted('it says', expired)])
  if (summary.refresh !== null && summary.mainLength < 300) return refreshToLogin(summary)
  if (summary.passwords === 0) return null
  const words = loginWords.exec(summary.text)?.[0]
  const isNamed = summary.titleParts.some(part => loginName.test(part))
  // A heading may belong to one of several boxes. Only the title describes the whole page.
  if (!isNamed && !words) return null
  return wall('blocked.login', [
    'it asks for a password',
    ...(words ? [quoted('it says', words)] : nameOf(summary)),
  ])
}

function refreshToLogin(summary: PageSummary): Wall | null {
  const target = URL.parse(summary.refresh!, summary.final.href)
  return target && isLoginPlace(target) ? wall('blocked.login', [`a refresh to ${placeOf(target)}`]) : null
}
