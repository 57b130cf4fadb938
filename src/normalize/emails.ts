// Finds e-mail addresses, including obfuscated ones.

// Every repetition in these patterns is bounded, so that hostile text does not cause quadratic time.
const local = "[\\p{L}\\p{N}](?:[\\p{L}\\p{N}._%+'-]{0,62}[\\p{L}\\p{N}_%+-])?"
const domain = '(?:[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?\\.){1,8}\\p{L}{2,63}'
const before = "(?<![\\p{L}\\p{N}._%+'-])"
const address = new RegExp(`${before}${local}@${domain}`, 'u')
/** File names such as `logo@2x.png` are not addresses. */
const fileEnding = /\.(?:png|jpe?g|gif|svg|webp|avif|css|js|html?|pdf)$/i

const bracketed = /\s?[[({<]\s?(?:at|@|arroba)\s?[\])}>]\s?/gi
const bracketedDot = /\s?[[({<]\s?(?:dot|\.|punkt|punto|point)\s?[\])}>]\s?/gi
const spoken =
  /([\p{L}\p{N}._+-]{1,64}) (?:at|AT) ([\p{L}\p{N}-]{1,63}(?: (?:dot|DOT) [\p{L}\p{N}-]{1,63}){1,4})(?![\p{L}\p{N}])/gu

/** The first address, with its host in lower case. Null if there is none. */
export function parseEmail(text: string): string | null {
  const plain = unhidden(withoutScheme(text.trim()))
  const found = address.exec(plain)?.[0]
  if (found === undefined || fileEnding.test(found)) return null
  const at = found.lastIndexOf('@')
  return found.slice(0, at) + found.slice(at).toLowerCase()
}

/** Decodes a mailto link: `mailto:a%40b.example?subject=Hello` becomes `a@b.example`. */
function withoutScheme(text: string): string {
  if (!/^mailto:/i.test(text)) return text
  const target = text.slice('mailto:'.length).split('?', 1)[0]!
  try {
    return decodeURIComponent(target)
  } catch {
    return target
  }
}

/** Decodes `name [at] example [dot] com` and `name at example dot com`. Without brackets, "at" counts only together
 *  with "dot". */
function unhidden(text: string): string {
  if (text.includes('@') && !/[[({]/.test(text)) return text
  return text
    .replace(bracketed, '@')
    .replace(bracketedDot, '.')
    .replace(spoken, (_, name: string, host: string) => `${name}@${host.replace(/ dot /gi, '.')}`)
}
