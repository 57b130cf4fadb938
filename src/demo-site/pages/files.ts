// Images and a PDF, generated in code so that the site needs no files.
import { crc32, deflateSync } from 'node:zlib'
import { seeded } from '../random.ts'
import { file, type Route } from '../route.ts'

export const fileRoutes: Route[] = [
  { path: '/images/favicon.svg', answer: () => file('image/svg+xml', picture(0, 'K')) },
  { path: '/favicon.ico', answer: () => file('image/png', logo()) },
  { path: '/images/logo.png', answer: () => file('image/png', logo()) },
  {
    path: '/images/products/:name',
    answer: (_visit, name) => file('image/svg+xml', picture(Number.parseInt(name, 10), '')),
  },
  {
    path: '/files/catalogue.pdf',
    answer: () => file('application/pdf', pdf('The catalogue of Kestrel & Pine')),
  },
]

function picture(number: number, letter: string): string {
  const hue = seeded(Number.isNaN(number) ? 0 : number).between(0, 359)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 200"><rect width="320" height="200" fill="hsl(${hue} 40% 85%)"/>
<circle cx="160" cy="100" r="60" fill="hsl(${hue} 45% 45%)"/><text x="160" y="122" font-size="64" text-anchor="middle" fill="#fff">${letter}</text></svg>`
}

/** A green square of 16 × 16 pixels. */
export function logo(): Buffer {
  const size = 16
  const row = Buffer.from([0, ...Array.from({ length: size }, () => [0x0b, 0x7a, 0x63]).flat()])
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header.set([8, 2], 8) // 8 bits per channel, red green blue
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const pixels = deflateSync(Buffer.concat(Array.from({ length: size }, () => row)))
  return Buffer.concat([
    signature,
    pngChunk('IHDR', header),
    pngChunk('IDAT', pixels),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

function pngChunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const chunk = Buffer.alloc(named.length + 8)
  chunk.writeUInt32BE(data.length, 0)
  named.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(named), named.length + 4)
  return chunk
}

/** A PDF with one page and one line of text. The table at its end contains the byte offset of each object. */
function pdf(text: string): Buffer {
  const stream = `BT /F1 24 Tf 72 720 Td (${text.replace(/[()\\]/g, '\\$&')}) Tj ET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  const offsets: number[] = []
  let document = '%PDF-1.4\n'
  for (const [index, object] of objects.entries()) {
    offsets.push(document.length)
    document += `${index + 1} 0 obj\n${object}\nendobj\n`
  }
  const table = offsets.map(offset => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const start = document.length
  document += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`
  return Buffer.from(
    `${document}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`,
    'latin1',
  )
}
