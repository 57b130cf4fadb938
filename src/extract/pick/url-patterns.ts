// Derives `include` patterns from example URLs. A pattern has a wildcard where the examples differ.

/** A glob over the path that matches all URLs; null if they have too little in common. */
export function commonPattern(urls: readonly string[]): string | null {
  const paths = urls.map(url => URL.parse(url)?.pathname.split('/').slice(1))
  const [first] = paths
  if (!first || paths.some(path => path === undefined)) return null
  const same = first.findIndex((step, index) => paths.some(path => path![index] !== step))
  if (same === -1) return byQuery(urls)
  if (paths.some(path => path!.length !== first.length))
    return same === 0 ? null : `/${[...first.slice(0, same), '**'].join('/')}`
  const steps = first.map((step, index) =>
    paths.every(path => path![index] === step) ? step : varying(paths, index),
  )
  return steps.every(step => step === '*') && steps.length > 1 ? null : `/${steps.join('/')}`
}

/** For example, `item-1.html` and `item-2.html` give `item-*.html`. */
function varying(paths: ReadonlyArray<string[] | undefined>, index: number): string {
  const steps = paths.map(path => path![index]!)
  const start = sharedStart(steps)
  const end = sharedStart(steps.map(step => [...step.slice(start.length)].reverse().join('')))
  return `${start.replace(/[^-_./]*$/, '')}*${[...end]
    .reverse()
    .join('')
    .replace(/^[^-_./]*/, '')}`
}

function sharedStart(texts: readonly string[]): string {
  let length = 0
  while (length < texts[0]!.length && texts.every(text => text[length] === texts[0]![length])) length += 1
  return texts[0]!.slice(0, length)
}

function byQuery(urls: readonly string[]): string | null {
  const [first] = urls.map(url => new URL(url))
  const name = [...first!.searchParams.keys()].find(
    key => new Set(urls.map(url => new URL(url).searchParams.get(key))).size > 1,
  )
  return name === undefined ? first!.pathname : `${first!.pathname}?${name}=*`
}

/** A pattern for the following pages of a list: the page number becomes `*`. */
export function pagePattern(next: string): string {
  const { pathname, search } = new URL(next)
  const counted = [...new URLSearchParams(search)].find(
    ([name, value]) => /^\d+$/.test(value) && /page|^p$|offset|start|seite|from|skip/i.test(name),
  )
  const [name] = counted ?? [...new URLSearchParams(search)].find(([, value]) => /^\d+$/.test(value)) ?? []
  if (name !== undefined) return `${pathname}?**${name}=*`
  return search === '' ? pathname.replace(/\d+(?!.*\d)/, '*') : pathname
}
