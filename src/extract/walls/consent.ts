// Detects pages that require consent to cookies before they show content.
import { type PageSummary, placeOf, quoted } from './page-summary.ts'
import { type Wall, wall } from './wall.ts'

const consentHost = /^(?:consent|guce|cmp|cookie-?wall|privacy-?wall)\./i
const consentPath =
  /(?:^|[/._-])(?:collect-?consent|cookie-?(?:wall|consent)|privacy-?(?:wall|gate)|gdpr-?(?:wall|consent)|consent)(?:[/._-]|$)/i

export const consentName =
  /^(?:before you (?:continue|proceed|go on|start)(?: to .{1,60})?|(?:we|your) (?:value|care about|respect|choices? (?:about|for|on))? ?(?:your )?(?:privacy|cookies?|data)(?: .{0,40})?|your privacy(?: (?:choices?|settings|matters|is important(?: to us)?))?|(?:this (?:site|website)|we) uses? cookies|cookies?(?: and privacy)?(?: (?:consent|settings|preferences|notice|policy))?|(?:privacy|consent|cookie) (?:settings|preferences|choices|manager|cent(?:er|re)|consent)|we need your consent|accept cookies to continue|ihre (?:privatsphäre|einwilligung|zustimmung|cookie-einstellungen)(?: .{0,40})?|(?:cookie-|privatsphäre-)?einstellungen|wir (?:brauchen|benötigen) ihre (?:zustimmung|einwilligung)|mit werbung (?:weiterlesen|weiterlesen\?|lesen)|bevor (?:sie|du) fortf.{2,10}|avant de continuer|votre vie privée.{0,40}|respect de votre vie privée|antes de continuar|tu privacidad.{0,40}|prima di continuare)[.!…]*$/i
const acceptButton =
  /^(?:(?:i )?(?:accept|agree|consent)(?: .{1,30})?|allow (?:all|cookies).{0,20}|yes, (?:i )?(?:accept|agree)|ok|got it|(?:alle )?(?:cookies )?(?:akzeptieren|zustimmen|annehmen)(?: .{1,30})?|alle (?:cookies )?(?:akzeptieren|zulassen)|einverstanden|(?:tout )?accepter(?: .{1,30})?|j['’]accepte|aceptar(?: .{1,30})?|accetta(?: .{1,30})?|aceitar(?: .{1,30})?|alles accepteren|принять(?: .{1,30})?|同意|すべて同意)$/i
const consentWords =
  /cookies?|consent|privacy|gdpr|dsgvo|vendors|partners|personali[sz]ed|tracking|einwilligung|zustimm|datenschutz|vie privée|privacidad/gi
const consentMark = /(?:id|class)="?[^">]{0,80}(?:consent|cookie|gdpr|cmp-|privacy)/i

/** A page with more text than this has content besides the request for consent. */
const manyCharacters = 3_000
const fewLinks = 20
const fewImages = 2
/** On a consent page, there is at least one consent word per this many characters. */
const charactersPerWord = 250

const isConsentPlace = (url: URL): boolean => consentHost.test(url.host) || consentPath.test(url.pathname)

export function leadsToConsent(url: string, finalUrl: string): boolean {
  return isConsentPlace(new URL(finalUrl)) && !isConsentPlace(new URL(url))
}

export function consentWall(summary: PageSummary): Wall | null {
  if (summary.mainLength >= manyCharacters || isConsentPlace(summary.asked)) return null
  const accepts = summary.buttons.find(text => acceptButton.test(text))
  if (summary.isElsewhere && isConsentPlace(summary.final) && (accepts || mentions(summary) > 0))
    return wall('blocked.consent', [`redirected to ${placeOf(summary.final)}`, ...pressed(accepts)])
  if (!accepts || summary.links > fewLinks || summary.images > fewImages || summary.hasOtherForm) return null
  const name = summary.named(consentName)
  if (name === null || !isAboutConsent(summary)) return null
  return wall('blocked.consent', [quoted('it says', name), ...pressed(accepts)])
}

const pressed = (button: string | undefined): string[] => (button ? [quoted('a button', button)] : [])

const mentions = (summary: PageSummary): number => summary.text.match(consentWords)?.length ?? 0

/** True if no heading has another subject and consent words are frequent. A page with a mere banner has other text too. */
function isAboutConsent(summary: PageSummary): boolean {
  if (summary.headings.some(heading => !consentName.test(heading))) return false
  const count = mentions(summary)
  if (summary.text.length < 200) return count > 0 || consentMark.test(summary.answer.source.slice(0, 50_000))
  return count * charactersPerWord >= summary.text.length
}
