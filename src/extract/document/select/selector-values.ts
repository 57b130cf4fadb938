// Parses formulas such as `2n+1`, and lists the attributes whose values are compared case-insensitively.

interface Nth {
  step: number
  offset: number
}

/** Parses `odd`, `even`, `3`, `n` or `-2n + 3`. Null for any other text. */
export function parseNth(formula: string): Nth | null {
  const text = formula.trim().toLowerCase()
  if (text === 'odd') return { step: 2, offset: 1 }
  if (text === 'even') return { step: 2, offset: 0 }
  if (/^[+-]?\d{1,9}$/.test(text)) return { step: 0, offset: Number(text) }
  const parts = /^([+-]?\d{0,9})n(?:\s*([+-])\s*(\d{1,9}))?$/.exec(text)
  if (parts === null) return null
  const offset = parts[3] === undefined ? 0 : Number(`${parts[2]}${parts[3]}`)
  return { step: stepOf(parts[1]!), offset }
}

function stepOf(text: string): number {
  if (text === '' || text === '+') return 1
  return text === '-' ? -1 : Number(text)
}

export function isNth(position: number, { step, offset }: Nth): boolean {
  if (step === 0) return position === offset
  const steps = (position - offset) / step
  return steps >= 0 && Number.isInteger(steps)
}

/** Attributes whose values HTML compares case-insensitively in `[name=value]`. */
export const caseInsensitiveValues = new Set(
  (
    'accept accept-charset align alink axis bgcolor charset checked clear codetype color compact declare defer dir ' +
    'direction disabled enctype face frame hreflang http-equiv lang language link media method multiple nohref ' +
    'noresize noshade nowrap readonly rel rev rules scope scrolling selected shape target text type valign valuetype ' +
    'vlink'
  ).split(' '),
)
