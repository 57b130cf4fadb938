// Removes inline images (`data:`) from Markdown.

/** Keeps the alternative text. Uses one pass, because a page may have a million openings without an end. */
export function withoutInlineImages(markdown: string): string {
  const kept: string[] = []
  let done = 0
  for (let at = markdown.indexOf(opening); at !== -1; at = markdown.indexOf(opening, done)) {
    const end = markdown.indexOf(')', at)
    if (end === -1) break
    const before = markdown.slice(done, at)
    const start = before.lastIndexOf('![')
    const isImage = start !== -1 && !before.includes(']', start)
    kept.push(markdown.slice(done, isImage ? at + 2 : end), isImage ? ')' : '')
    done = isImage ? end + 1 : end
  }
  return kept.join('') + markdown.slice(done)
}

const opening = '](data:'
