// Detects captcha pages.
import { type PageSummary, quoted } from './page-summary.ts'
import { type Wall, wall } from './wall.ts'

/** Markers that occur only in challenge pages, never in pages that are merely protected. */
const challengeMarks: Array<[vendor: string, marks: string[]]> = [
  ['Cloudflare', ['_cf_chl_opt', 'cf-browser-verification', 'id="challenge-form"', 'cf_chl_']],
  ['DataDome', ['captcha-delivery.com']],
  ['HUMAN (PerimeterX)', ['px-captcha', 'captcha.px-cdn.net', 'captcha.px-cloud.net']],
  ['AWS WAF', ['gokuProps', 'captcha.awswaf.com']],
  ['Akamai', ['sec-if-cpt-container', '/_sec/cp_challenge', 'sec-cpt-if']],
  ['Sucuri', ['sucuri_cloudproxy_js']],
  ['DDoS-Guard', ['/.well-known/ddos-guard/']],
  ['Amazon', ['/errors/validateCaptcha']],
]

/** Markers that occur with any captcha widget, also in legitimate forms. */
const widgetMarks: Array<[vendor: string, marks: string[]]> = [
  ['reCAPTCHA', ['g-recaptcha', 'google.com/recaptcha', 'recaptcha.net/recaptcha']],
  ['hCaptcha', ['h-captcha', 'hcaptcha.com']],
  ['Turnstile', ['cf-turnstile', 'challenges.cloudflare.com/turnstile']],
  ['Arkose', ['arkoselabs.com', 'funcaptcha', 'FunCaptcha']],
  ['GeeTest', ['geetest']],
  ['Friendly Captcha', ['frc-captcha']],
]

export const challengeWords =
  /are you (?:a )?(?:human|(?:ro)?bot)|verif(?:y|ying) (?:that )?you(?:['’]re| are)?|verify (?:you['’]re|you are|your(?:self)? as) (?:a )?human|not a (?:ro)?bot|i am human|prove (?:that )?you(?:['’]re| are)|unusual (?:traffic|activity)|automated (?:requests|access|queries|traffic)|security (?:check|verification|challenge)|checking (?:if the site|your browser)|complete the (?:captcha|challenge|security)|press (?:&|and) hold|robot check|bot (?:check|detection)|human (?:verification|check)|enter the characters you see|kein roboter|sind sie ein mensch|bist du ein mensch|sicherheits(?:überprüfung|abfrage)|pas un robot|no eres un robot|no soy un robot|non sei un robot|não é um robô|не робот|人机验证|安全验证|ロボットでは/i
export const waitingTitle =
  /^(?:just a moment|checking your browser|ddos-guard|one more step|please wait|attention required!?)(?:\.{3}|…|!|\.)?$/i

/** A page with this many characters of main content is not a captcha page. */
const fewCharacters = 700

export function captchaWall(summary: PageSummary): Wall | null {
  const told = toldByHeader(summary)
  if (told) return told
  if (summary.mainLength >= fewCharacters) return null
  return challengePage(summary) ?? widgetPage(summary) ?? ownCaptcha(summary)
}

/** Detects a wall by a response header that a firewall adds. */
function toldByHeader(summary: PageSummary): Wall | null {
  const cloudflare = summary.header('cf-mitigated')
  if (cloudflare === 'challenge')
    return wall('blocked.captcha', [`header cf-mitigated: ${cloudflare}`], 'Cloudflare')
  const amazon = summary.header('x-amzn-waf-action')
  if (/^(?:captcha|challenge)$/.test(amazon))
    return wall('blocked.captcha', [`header x-amzn-waf-action: ${amazon}`], 'AWS WAF')
  const isKasada =
    summary.status >= 400 && summary.answer.headers.some(([name]) => name.startsWith('x-kpsdk-'))
  return isKasada ? wall('blocked.captcha', ['header x-kpsdk-…', `HTTP ${summary.status}`], 'Kasada') : null
}

function challengePage(summary: PageSummary): Wall | null {
  const found = firstMark(summary, challengeMarks)
  if (found) return wall('blocked.captcha', [`"${found.mark}" in the page`, ...said(summary)], found.vendor)
  const title = waitingTitle.test(summary.title) && challengeWords.test(summary.text)
  return title ? wall('blocked.captcha', said(summary)) : null
}

/** A widget alone is not a wall. The page must ask for the challenge or be an error page, and must have no other
 *  form. */
function widgetPage(summary: PageSummary): Wall | null {
  if (summary.hasOtherForm || summary.passwords > 0) return null
  const asks = challengeWords.test(`${summary.title} ${summary.text}`)
  if (!asks && summary.status < 400) return null
  const found = firstMark(summary, widgetMarks)
  return found ? wall('blocked.captcha', [`a ${found.vendor} widget`, ...said(summary)], found.vendor) : null
}

/** Detects a captcha that the site made itself: the title or a heading asks for it, and an element is named captcha. */
function ownCaptcha(summary: PageSummary): Wall | null {
  if (summary.hasOtherForm || summary.passwords > 0 || !challengeWords.test(summary.names.join(' ')))
    return null
  const field = /<(?:input|img|form|iframe|canvas)[^>]{0,300}captcha/i.test(
    summary.answer.source.slice(0, 100_000),
  )
  return field ? wall('blocked.captcha', ['a captcha of the site itself', ...said(summary)]) : null
}

function firstMark(
  summary: PageSummary,
  table: Array<[vendor: string, marks: string[]]>,
): { vendor: string; mark: string } | null {
  for (const [vendor, marks] of table) {
    const mark = marks.find(each => summary.has(each))
    if (mark !== undefined) return { vendor, mark }
  }
  return null
}

function said(summary: PageSummary): string[] {
  const name = summary.named(challengeWords) ?? summary.names.find(each => each !== '')
  return [
    ...(summary.status >= 400 ? [`HTTP ${summary.status}`] : []),
    ...(name ? [quoted('it says', name)] : []),
  ]
}
