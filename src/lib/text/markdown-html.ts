// Escapes raw HTML in Markdown, so that text that looks like a tag stays text. Code is unchanged.

/** Escapes each "<" that a renderer could take for a tag, comment or declaration, also in doubtful cases. */
export function withoutHtml(markdown: string): string {
  if (!/<[a-zA-Z/!?]/.test(markdown)) return markdown
  const fences = new Fences()
  return markdown
    .split('\n')
    .map(line => (fences.isCode(line) ? line : inlineText(line)))
    .join('\n')
}

/** A line that may start or end a code block. */
const fenceLike = /^[\s>]*(?:(?:[-+*]|\d{1,9}[.)])[\s>]+)*(`{3,}|~{3,})/
/** The start of a code block as our own writer writes it: after a blank line, also in quotes and list items. */
const opening = /^((?:[ >]|[-+*] |\d{1,9}[.)] )*)(`{3,}|~{3,})([^`<]*)$/

/** Tracks code blocks line by line. After an ambiguous fence, nothing counts as code. */
class Fences {
  #open: { prefix: string; mark: string } | null = null
  #isAfterBlank = true
  #isLost = false

  isCode(line: string): boolean {
    if (this.#isLost) return false
    const isCode = this.#open ? this.#goesOn(this.#open, line) : this.#opens(line)
    this.#isAfterBlank = /^[ >]*$/.test(line)
    return isCode
  }

  #opens(line: string): boolean {
    if (!fenceLike.test(line)) return false
    const [, before = '', mark = ''] = (this.#isAfterBlank && opening.exec(line)) || []
    this.#isLost = mark === ''
    if (mark !== '') this.#open = { prefix: before.replace(/[^ >]/g, ' '), mark }
    return !this.#isLost
  }

  #goesOn({ prefix, mark }: { prefix: string; mark: string }, line: string): boolean {
    if (line.trimEnd() === prefix + mark) {
      this.#open = null
      return true
    }
    const isInside = line.startsWith(prefix) || (/^[ >]*$/.test(line) && bare(line) === bare(prefix))
    this.#isLost = !isInside || (fenceLike.exec(line)?.[1]?.startsWith(mark) ?? false)
    return !this.#isLost
  }
}

const bare = (prefix: string): string => prefix.replaceAll(' ', '')

const tokens = /\\[!-/:-@[-`{-~]|`+|<(?:https?:|mailto:)[^<>\s]*>|<(?=[a-zA-Z/!?])/g

function inlineText(line: string): string {
  let codeEnd = 0
  return line.replace(tokens, (token, at: number) => {
    if (at < codeEnd) return token
    if (token[0] === '`') codeEnd = endOfCode(line, at, token)
    return token === '<' ? '&lt;' : token
  })
}

const longestSpan = 1_000

/** The end of a code span. A span with a bare "|" may be two table cells, so it does not count. */
function endOfCode(line: string, at: number, mark: string): number {
  const first = at + mark.length
  const rest = line.slice(first, first + longestSpan + mark.length)
  for (const { 0: run, index } of rest.matchAll(/`+/g))
    if (run.length === mark.length)
      return /(?<!\\)\|/.test(rest.slice(0, index)) ? 0 : first + index + run.length
  return 0
}
