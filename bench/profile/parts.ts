// Which part of the program a function belongs to, by its file and name.

export interface Frame {
  functionName: string
  url: string
}

export const parts = [
  'parse HTML',
  'extract',
  'links and frontier',
  'sockets and HTTP',
  'store',
  'JSON',
  'hash',
  'compress',
  'garbage collection',
  'program',
  'Node and V8',
] as const
export type Part = (typeof parts)[number]

/** The first pattern that matches decides. */
const byFile: ReadonlyArray<[Part, RegExp]> = [
  ['parse HTML', /\/extract\/document\/(?:parse|code-units|tags)|parse5|\/entities\//],
  ['extract', /\/(?:extract|normalize)\//],
  ['links and frontier', /\/frontier\//],
  [
    'sockets and HTTP',
    /\/fetch\/|undici|node:(?:net|http|_http|dns|tls|internal\/stream_base_commons|internal\/streams|stream)|llhttp|wasm:/,
  ],
  ['store', /\/adapters\/(?:sqlite|fs)|node:sqlite|\/results\/|\/pipeline\/(?:keep|report)\//],
  ['hash', /\/hash|node:(?:crypto|internal\/crypto)/],
  ['compress', /node:(?:zlib|internal\/zlib)|warc/i],
]

/** For functions of V8 and Node, which have no file. */
const byName: ReadonlyArray<[Part, RegExp]> = [
  ['garbage collection', /^\(garbage collector\)$/],
  ['JSON', /^(?:stringify|parse|JSON\.)/],
  ['hash', /^(?:digest|oneShotDigest|Hash|update)$/],
  ['compress', /^(?:writeSync|deflate|zstd|init)$/],
  ['store', /^(?:run|all|get|iterate|exec|prepare|commit)$/],
  [
    'sockets and HTTP',
    /^(?:write(?:Utf8|Latin1|Buffer|v)?\w*|readStart|readStop|connect|shutdown|writeBuffer)$/,
  ],
]

/** Null for the time in which the thread was idle. */
export function partOf({ functionName, url }: Frame): Part | null {
  if (functionName === '(idle)') return null
  for (const [part, file] of byFile) if (url !== '' && file.test(url)) return part
  for (const [part, name] of byName) if (url === '' && name.test(functionName)) return part
  return url.startsWith('file:') ? 'program' : 'Node and V8'
}

/** The part of a `--cpu-prof` file that is used here. Times are in microseconds. */
export interface Profile {
  nodes: Array<{ id: number; callFrame: Frame }>
  samples: number[]
  timeDeltas: number[]
}

/** The time of one thread in each part in milliseconds, without the calls into other parts. */
export function msByPart({ nodes, samples, timeDeltas }: Profile): Map<Part, number> {
  const partById = new Map(nodes.map(({ id, callFrame }) => [id, partOf(callFrame)]))
  const spent = new Map<Part, number>()
  for (const [index, sample] of samples.entries()) {
    const part = partById.get(sample) ?? null
    if (part !== null) spent.set(part, (spent.get(part) ?? 0) + timeDeltas[index]! / 1_000)
  }
  return spent
}
