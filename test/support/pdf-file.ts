// Writes small PDF files for tests: text in Helvetica at given positions, and form fields.

export interface PdfText {
  size: number
  x: number
  y: number
  /** Text in WinAnsi encoding; `\\225` is a bullet. */
  text: string
}

export interface PdfFileParts {
  pages: PdfText[][]
  title?: string
  /** The dictionaries of form fields on the first page. */
  fields?: string[]
}

export function pdfFile({ pages, title, fields = [] }: PdfFileParts): Buffer {
  const objects = new Map<number, string>()
  const pageIds = pages.map((_, index) => 10 + index * 2)
  const fieldIds = fields.map((_, index) => 100 + index)
  const refs = (ids: number[]): string => `[${ids.map(id => `${id} 0 R`).join(' ')}]`
  const font = '/Font << /F1 3 0 R >>'
  objects.set(
    1,
    `<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields ${refs(fieldIds)} /DR << ${font} >> >> >>`,
  )
  objects.set(2, `<< /Type /Pages /Kids ${refs(pageIds)} /Count ${pages.length} >>`)
  objects.set(3, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>')
  objects.set(4, `<< ${title === undefined ? '' : `/Title (${title})`} >>`)
  pages.forEach((texts, index) => {
    const id = pageIds[index]!
    const annotations = index === 0 ? `/Annots ${refs(fieldIds)}` : ''
    objects.set(
      id,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << ${font} >> ${annotations} /Contents ${id + 1} 0 R >>`,
    )
    objects.set(id + 1, stream(texts.map(shown).join('\n')))
  })
  objects.set(99, stream('', '/Type /XObject /Subtype /Form /BBox [0 0 10 10]'))
  fields.forEach((field, index) => {
    const rect = `[300 ${700 - index * 30} 400 ${715 - index * 30}]`
    objects.set(fieldIds[index]!, `<< /Type /Annot /Subtype /Widget /Rect ${rect} /F 4 ${field} >>`)
  })
  return written(objects)
}

const shown = ({ size, x, y, text }: PdfText): string => `BT /F1 ${size} Tf ${x} ${y} Td (${text}) Tj ET`

const stream = (content: string, entries = ''): string =>
  `<< /Length ${content.length} ${entries} >>\nstream\n${content}\nendstream`

function written(objects: Map<number, string>): Buffer {
  let file = '%PDF-1.7\n'
  const offsets = new Map<number, number>()
  for (const [id, object] of objects) {
    offsets.set(id, file.length)
    file += `${id} 0 obj\n${object}\nendobj\n`
  }
  const start = file.length
  const entries = [...offsets].map(([id, at]) => `${id} 1\n${String(at).padStart(10, '0')} 00000 n \n`)
  file += `xref\n0 1\n0000000000 65535 f \n${entries.join('')}`
  file += `trailer\n<< /Root 1 0 R /Info 4 0 R /Size 200 >>\nstartxref\n${start}\n%%EOF\n`
  return Buffer.from(file, 'latin1')
}
