// Extracts three fields from the markup of a rendered page and writes one JSON line. All contenders use it.
const patterns = JSON.parse(process.env.FIELD_PATTERNS)

export function readPage(url, html) {
  const fields = Object.entries(patterns).map(([name, source]) => [
    name,
    new RegExp(source).exec(html)?.[1] ?? null,
  ])
  return { url, ...Object.fromEntries(fields) }
}

export const urlsOf = (origin, pages) => Array.from({ length: pages }, (_, n) => `${origin}/app/${n}`)

/** Runs `count` workers at a time, each with its own number. */
export async function inParallel(count, urls, work) {
  const todo = [...urls]
  const worker = async number => {
    for (let url = todo.shift(); url !== undefined; url = todo.shift()) await work(url, number)
  }
  await Promise.all(Array.from({ length: count }, (_, number) => worker(number)))
}
