// Tests the conversion of PDFs to Markdown: headings by font size, paragraphs, lists and form values.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { pdfContent, pdfRecord } from '../../src/extract/formats/pdf.ts'
import { PdfReader } from '../../src/extract/formats/pdf-reader.ts'
import { pdfFile } from '../support/pdf-file.ts'

const reader = new PdfReader()
after(() => reader[Symbol.asyncDispose]())

async function recordOf(body: Buffer) {
  const url = 'https://harbour.example/report.pdf'
  const notes = { url, finalUrl: url, status: 200, fetchedAt: 0 }
  const download = { contentType: 'application/pdf', disposition: null, body }
  return pdfRecord(notes, download, pdfContent(notes, await reader.read(body))).data
}

test('in a PDF, font sizes decide about headings, lines become paragraphs, and bullets become lists', async () => {
  const page = [
    { size: 24, x: 72, y: 720, text: 'Report of the Harbour Board' },
    {
      size: 11,
      x: 72,
      y: 690,
      text: 'The board met twelve times during the year and decided on forty-two mat-',
    },
    {
      size: 11,
      x: 72,
      y: 677,
      text: 'ters of importance to the people who use the harbour every day of a year.',
    },
    { size: 11, x: 72, y: 650, text: 'A second paragraph stands apart.' },
    { size: 16, x: 72, y: 620, text: 'Works' },
    { size: 11, x: 80, y: 600, text: '\\225 The north pier was rebuilt, which took' },
    { size: 11, x: 90, y: 587, text: 'the whole summer' },
    { size: 11, x: 80, y: 574, text: '\\225 New lights' },
    { size: 11, x: 100, y: 561, text: '\\225 green' },
    { size: 16, x: 72, y: 530, text: 'Steps' },
    { size: 11, x: 80, y: 510, text: '1. Survey' },
    { size: 11, x: 80, y: 497, text: '2. Tender' },
    { size: 11, x: 290, y: 40, text: 'Page 1 of 1' },
  ]
  const { title, markdown, headings } = await recordOf(pdfFile({ pages: [page] }))
  assert.equal(title, 'Report of the Harbour Board')
  assert.equal(
    markdown,
    [
      '# Report of the Harbour Board',
      'The board met twelve times during the year and decided on forty-two matters of importance to the people who use the harbour every day of a year.',
      'A second paragraph stands apart.',
      '## Works',
      '- The north pier was rebuilt, which took the whole summer\n- New lights\n   - green',
      '## Steps',
      '1. Survey\n2. Tender',
    ].join('\n\n'),
  )
  assert.deepEqual(headings, [
    { level: 1, text: 'Report of the Harbour Board' },
    { level: 2, text: 'Works' },
    { level: 2, text: 'Steps' },
  ])
})

test('repeated page headers are dropped, and a sentence continues on the next page', async () => {
  const pages = [1, 2, 3].map(number => [
    { size: 9, x: 72, y: 780, text: `Harbour Board ${number}` },
    { size: 11, x: 72, y: 700, text: number === 1 ? 'The pier' : number === 2 ? 'was rebuilt' : 'in June.' },
  ])
  assert.equal((await recordOf(pdfFile({ pages }))).markdown, 'The pier was rebuilt in June.')
})

test('the values of a form are in the record and in the Markdown', async () => {
  const fields = [
    '/FT /Tx /T (owner) /TU (Name of the owner) /V (Ada Example)',
    '/FT /Tx /T (empty)',
    '/FT /Tx /T (pin) /Ff 8192 /V (1234)',
    '/FT /Btn /T (insured) /V /Yes /AS /Yes /AP << /N << /Yes 99 0 R /Off 99 0 R >> >>',
    '/FT /Ch /T (berth) /Ff 131072 /Opt [(A) (B)] /V (B)',
  ]
  const page = [{ size: 11, x: 72, y: 700, text: 'Berth application' }]
  const { form, markdown } = await recordOf(pdfFile({ pages: [page], fields }))
  assert.deepEqual(form, [
    { name: 'owner', label: 'Name of the owner', value: 'Ada Example' },
    { name: 'empty', label: 'empty', value: null },
    { name: 'pin', label: 'pin', value: null },
    { name: 'insured', label: 'insured', value: true },
    { name: 'berth', label: 'berth', value: 'B' },
  ])
  assert.equal(
    markdown,
    'Berth application\n\n- **Name of the owner**: Ada Example\n- [x] insured\n- **berth**: B',
  )
})

test('if the title of a PDF is a file name, its heading becomes the title', async () => {
  const page = [
    { size: 20, x: 72, y: 720, text: 'Tide tables' },
    { size: 11, x: 72, y: 690, text: 'High water at noon.' },
  ]
  const file = pdfFile({ pages: [page], title: 'Microsoft Word - tides final.docx' })
  assert.equal((await recordOf(file)).title, 'Tide tables')
  assert.equal((await recordOf(pdfFile({ pages: [page], title: 'Tides' }))).title, 'Tides')
})
