// Detects "not found" pages that have a success status.
import { type PageSummary, placeOf, quoted } from './page-summary.ts'
import { type Wall, wall } from './wall.ts'

export const notFoundName =
  /^(?:(?:http |error |fehler |erreur |errore )?404(?: error| fehler)?|(?:(?:error )?404[\s,.:–—-]*)?(?:(?:the |this |sorry, (?:the |this )?)?(?:page|file|document|content|article|product|item)(?: you (?:requested|are looking for))? (?:(?:was |is |could |can)?not (?:be )?found|(?:does not|doesn['’]t|no longer) exists?|cannot be found|is missing|not available)|not found|page missing|nothing (?:was )?found(?: here)?)|(?:oops|sorry|uh[- ]oh)[!.,:]? .{0,30}(?:not (?:be )?found|doesn['’]t exist|can['’]t find).{0,40}|(?:die )?(?:seite|datei)(?: wurde| konnte)? nicht gefunden(?: werden)?|page (?:non trouvée|introuvable)|p[áa]gina no encontrada|pagina non trovata|p[áa]gina n[ãa]o encontrada|pagina niet gevonden|sidan hittades inte|siden (?:blev|ble) ikke funnet|nie znaleziono strony|страница не найдена|页面(?:未找到|不存在)|ページが見つかりません)[.!…]*$/i
const notFoundWords =
  /(?:page|file|content|article|product|item|url|address|link|resource)(?: that)?(?: you(?:['’]re| are| were)?(?: (?:looking for|trying to (?:reach|access|view)|requested|asked for))?)? .{0,40}?(?:(?:could ?n[o'’]t|can ?no?['’]?t|was not|is not|wasn['’]t) be found|(?:was|is) not found|can(?:not|['’]t) be found|(?:does not|doesn['’]t|no longer) exists?|(?:may|might|has) (?:have been|been) (?:moved|removed|deleted)|is (?:no longer|not) (?:available|here))|we (?:could ?n[o'’]t|can['’]?t|cannot) find (?:the|that|this) page|nicht gefunden|existiert nicht|n['’]existe pas|introuvable|no existe|non esiste|não existe|bestaat niet|не существует/i
const notFoundPath = /(?:^|\/)(?:404|not-?found|page-?not-?found|error-?404)(?:\.\w{2,5})?\/?$/i

const fewCharacters = 600

export const leadsToNotFound = (url: string, finalUrl: string): boolean =>
  notFoundPath.test(new URL(finalUrl).pathname) && !notFoundPath.test(new URL(url).pathname)

/** Requires two of title, heading, sentence and redirect target. One alone may be the subject of the page. */
export function notFoundWall(summary: PageSummary): Wall | null {
  if (summary.mainLength >= fewCharacters || summary.passwords > 0) return null
  const title = summary.titleParts.find(part => notFoundName.test(part))
  const heading = summary.headings.find(text => notFoundName.test(text))
  const words = notFoundWords.exec(summary.text)?.[0]
  const isLed = summary.isElsewhere && notFoundPath.test(summary.final.pathname)
  const evidence = [
    ...(title ? [quoted('title', title)] : []),
    ...(heading ? [quoted('heading', heading)] : []),
    ...(words ? [quoted('it says', words)] : []),
    ...(isLed ? [`redirected to ${placeOf(summary.final)}`] : []),
  ]
  return evidence.length > 1 && (title || heading || isLed) ? wall('page.soft-not-found', evidence) : null
}
