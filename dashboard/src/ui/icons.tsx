// The icons, drawn in the colour of the text beside them.

/** A circle as part of an SVG path. */
const circle = (x: number, y: number, r: number): string =>
  `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`

/** A square with round corners as part of an SVG path. */
const box = (x: number, y: number, side: number): string =>
  `M${x + 2} ${y}h${side - 4}a2 2 0 0 1 2 2v${side - 4}a2 2 0 0 1-2 2h${4 - side}a2 2 0 0 1-2-2v${4 - side}a2 2 0 0 1 2-2z`

const shapes: Record<string, string> = {
  home: 'M4 11l8-7 8 7v9h-5v-6H9v6H4z',
  jobs: 'M4 6h16M4 12h16M4 18h10',
  plus: 'M12 5v14M5 12h14',
  hosts: `${circle(12, 12, 9)}M3 12h18M12 3c3 3 3.5 6 3.5 9s-.5 6-3.5 9c-3-3-3.5-6-3.5-9s.5-6 3.5-9`,
  shield: 'M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6zM9 12h6',
  clock: `${circle(12, 12, 9)}M12 7v5l3 2`,
  eye: `M2 12c3-5 6-7 10-7s7 2 10 7c-3 5-6 7-10 7s-7-2-10-7z${circle(12, 12, 3)}`,
  bell: 'M4 8l16-4v16L4 16zM8 17v3h4v-2',
  cpu: `${box(6, 6, 12)}M9 2v4M15 2v4M9 18v4M15 18v4M2 9h4M2 15h4M18 9h4M18 15h4`,
  key: `${circle(8, 15, 4)}M11 12l9-9M16 7l3 3`,
  sliders: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 4v6M8 14v6',
  book: 'M5 4h11a3 3 0 013 3v13H8a3 3 0 01-3-3zM5 17a3 3 0 013-3h11',
  out: 'M14 4h5v16h-5M10 8l-4 4 4 4M6 12h9',
  copy: `${box(9, 9, 11)}M5 15H4V4h11v1`,
  down: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  up: 'M12 16V5M7 9l5-5 5 5M5 20h14',
  search: `${circle(11, 11, 6)}M20 20l-4.5-4.5`,
  pause: 'M9 5v14M15 5v14',
  play: 'M7 5l12 7-12 7z',
  stop: 'M6 6h12v12H6z',
  again: 'M4 12a8 8 0 0114-5l2 2M20 4v5h-5M20 12a8 8 0 01-14 5l-2-2M4 20v-5h5',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  close: 'M6 6l12 12M18 6L6 18',
  target: `${circle(12, 12, 7)}M12 2v5M12 17v5M2 12h5M17 12h5`,
  menu: 'M4 7h16M4 12h16M4 17h16',
  columns: 'M4 5h16v14H4zM10 5v14M15 5v14',
  sun: `${circle(12, 12, 4)}M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2`,
  outside: 'M14 5h5v5M19 5l-8 8M17 14v5H5V7h5',
}

export const Icon = ({ name, size = 16 }: { name: string; size?: number }) => (
  <svg
    class="icon"
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="1.8"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d={shapes[name]} />
  </svg>
)
