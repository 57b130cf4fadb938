// Images that hold their own bytes (`data:`), taken out of Markdown.

/** Keeps the text of each image. One pass: the text of a page may hold a million openings and no end. */
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
