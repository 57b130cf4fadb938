// Finds the end of a script. Inside a script, `<!--` followed by `<script` makes the next `</script>` part of the text.

/** Tokens that matter in a script with a comment. A name ends at white space, `/` or `>`. */
const signs = /<!--|-->|<(\/?)script[\t\n\f\r />]/gi

/** The position where the script ends. `stop` is the first `</script>` after `start`, or the length of the page. */
export function scriptStop(source: string, start: number, stop: number): number {
  const comment = source.slice(start, stop).indexOf('<!--')
  return comment === -1 ? stop : commentedStop(source, start + comment)
}

function commentedStop(source: string, from: number): number {
  let isInComment = false
  let isInInner = false
  signs.lastIndex = from
  for (let sign = signs.exec(source); sign !== null; sign = signs.exec(source)) {
    const [written, slash] = sign
    if (written === '<!--') {
      // Continue the search at the dashes of `<!--`, because they can also end the comment: `<!-->`.
      signs.lastIndex = sign.index + 2
      isInComment = true
    } else if (written === '-->') {
      isInComment = false
      isInInner = false
    } else if (slash === '') isInInner = isInComment
    else if (!isInInner) return sign.index
    else isInInner = false
  }
  return source.length
}
