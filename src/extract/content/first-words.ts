// Collects the first words of all texts that a list of phrases matches. If a name has none of these words, it
// contains no phrase. Names are checked for these words first, because the 29 patterns take 6 µs per name,
// and most ids contain no phrase.

/** Phrases are separated by `|`. They may contain groups, classes, digits and optional parts, such as `share-?this`. */
export function firstWords(phrases: string): Set<string> {
  return new Set(textsOf(phrases).map(text => text.split('-', 1)[0]!))
}

/** One piece of a phrase: several plain characters, a group with alternatives, a character class, `\d` or a single character.
 *  Each piece except the first kind may be optional. */
const piece =
  /((?:[^()[\]\\?](?!\?))+)|\(\?:((?:[^()]|\((?:\?:)?[^()]*\))*)\)(\??)|\[(\w+)\](\??)|(\\d|[^\\])(\??)/gy

function textsOf(phrases: string): string[] {
  return alternatives(phrases).flatMap(phrase => {
    let texts = ['']
    for (const [, plain, group, groupMark, chars, charsMark, char, charMark] of phrase.matchAll(piece)) {
      const options =
        plain !== undefined
          ? [plain]
          : group !== undefined
            ? textsOf(group)
            : chars !== undefined
              ? [...chars]
              : char === '\\d'
                ? digits
                : [char!]
      const isOptional = (groupMark ?? charsMark ?? charMark) === '?'
      const endings = isOptional ? ['', ...options] : options
      texts = texts.flatMap(text => (text.includes('-') ? text : endings.map(ending => text + ending)))
    }
    return texts
  })
}

const digits = [...'0123456789']

/** Splits at each `|` that is not inside parentheses. */
const alternatives = (phrases: string): string[] =>
  phrases.match(/(?:[^|()]|\((?:[^()]|\([^()]*\))*\))+/g) ?? []
