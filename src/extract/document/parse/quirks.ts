// Decides whether a doctype selects quirks mode, in which a table may be inside a paragraph.

const legacy = /^\s*html\s+(?:public\s*(?:"([^"]*)"|'([^']*)')|system)\s*(?:"([^"]*)"|'([^']*)')?\s*$/i
const current = /^\s*html\s*(system\s*(["'])about:legacy-compat\2\s*)?$/i

/** `declaration` is the text between `<!doctype` and `>`. Returns `unknown` if it is malformed. */
export function quirksOf(declaration: string): 'yes' | 'no' | 'unknown' {
  if (current.test(declaration)) return 'no'
  const found = legacy.exec(declaration)
  if (found === null) return 'unknown'
  const publicId = (found[1] ?? found[2])?.toLowerCase()
  const systemId = (found[3] ?? found[4])?.toLowerCase()
  if (publicId === undefined && systemId === undefined) return 'unknown'
  if (systemId === quirksSystemId) return 'yes'
  if (publicId === undefined) return 'no'
  return quirksIds.has(publicId) || hasQuirksPrefix(publicId, systemId === undefined) ? 'yes' : 'no'
}

function hasQuirksPrefix(publicId: string, isAlone: boolean): boolean {
  const prefixes = isAlone ? [...quirksPrefixes, ...quirksPrefixesAlone] : quirksPrefixes
  return prefixes.some(prefix => publicId.startsWith(prefix))
}

const quirksSystemId = 'http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd'
const quirksIds = new Set([
  '-//w3o//dtd w3 html strict 3.0//en//',
  '-/w3c/dtd html 4.0 transitional/en',
  'html',
])
/** Public identifiers that select quirks mode if there is no system identifier. */
const quirksPrefixesAlone = ['-//w3c//dtd html 4.01 frameset//', '-//w3c//dtd html 4.01 transitional//']
const quirksPrefixes = [
  '+//silmaril//dtd html pro v0r11 19970101//',
  '-//as//dtd html 3.0 aswedit + extensions//',
  '-//advasoft ltd//dtd html 3.0 aswedit + extensions//',
  '-//ietf//dtd html 2.0 level 1//',
  '-//ietf//dtd html 2.0 level 2//',
  '-//ietf//dtd html 2.0 strict level 1//',
  '-//ietf//dtd html 2.0 strict level 2//',
  '-//ietf//dtd html 2.0 strict//',
  '-//ietf//dtd html 2.0//',
  '-//ietf//dtd html 2.1e//',
  '-//ietf//dtd html 3.0//',
  '-//ietf//dtd html 3.2 final//',
  '-//ietf//dtd html 3.2//',
  '-//ietf//dtd html 3//',
  '-//ietf//dtd html level 0//',
  '-//ietf//dtd html level 1//',
  '-//ietf//dtd html level 2//',
  '-//ietf//dtd html level 3//',
  '-//ietf//dtd html strict level 0//',
  '-//ietf//dtd html strict level 1//',
  '-//ietf//dtd html strict level 2//',
  '-//ietf//dtd html strict level 3//',
  '-//ietf//dtd html strict//',
  '-//ietf//dtd html//',
  '-//metrius//dtd metrius presentational//',
  '-//microsoft//dtd internet explorer 2.0 html strict//',
  '-//microsoft//dtd internet explorer 2.0 html//',
  '-//microsoft//dtd internet explorer 2.0 tables//',
  '-//microsoft//dtd internet explorer 3.0 html strict//',
  '-//microsoft//dtd internet explorer 3.0 html//',
  '-//microsoft//dtd internet explorer 3.0 tables//',
  '-//netscape comm. corp.//dtd html//',
  '-//netscape comm. corp.//dtd strict html//',
  "-//o'reilly and associates//dtd html 2.0//",
  "-//o'reilly and associates//dtd html extended 1.0//",
  "-//o'reilly and associates//dtd html extended relaxed 1.0//",
  '-//sq//dtd html 2.0 hotmetal + extensions//',
  '-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//',
  '-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//',
  '-//spyglass//dtd html 2.0 extended//',
  '-//sun microsystems corp.//dtd hotjava html//',
  '-//sun microsystems corp.//dtd hotjava strict html//',
  '-//w3c//dtd html 3 1995-03-24//',
  '-//w3c//dtd html 3.2 draft//',
  '-//w3c//dtd html 3.2 final//',
  '-//w3c//dtd html 3.2//',
  '-//w3c//dtd html 3.2s draft//',
  '-//w3c//dtd html 4.0 frameset//',
  '-//w3c//dtd html 4.0 transitional//',
  '-//w3c//dtd html experimental 19960712//',
  '-//w3c//dtd html experimental 970421//',
  '-//w3c//dtd w3 html//',
  '-//w3o//dtd w3 html 3.0//',
  '-//webtechs//dtd mozilla html 2.0//',
  '-//webtechs//dtd mozilla html//',
]
