// `make run` runs this: it starts the demo site, crawls the site with the rules beside this file, and prints the records.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

interface Product {
  name: string | null
  price: { amount: number; currency: string } | null
  brand: string | null
  in_stock: boolean | null
  rating: number | null
  tags: string[]
}

const [folder = '.kscrape-demo', maxPages = '120'] = process.argv.slice(2)
const productsFile = `${folder}/products.jsonl`
const shownRecords = 12

async function main(): Promise<number> {
  process.chdir(join(import.meta.dirname, '../..'))
  // Ignores Ctrl-C, so that the cleanup below runs. Ctrl-C also reaches the crawl, which then stops cleanly.
  process.on('SIGINT', () => {})
  rmSync(folder, { recursive: true, force: true })
  const site = spawn('./kscrape', ['demo-site', '--port', '0'], { stdio: ['ignore', 'ignore', 'pipe'] })
  try {
    const code = await crawl(await addressOf(site))
    if (code === 0) showProducts()
    return code
  } finally {
    site.kill('SIGTERM')
  }
}

/** The site takes any free port and prints it. */
async function addressOf(site: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: site.stderr! })) {
    const url = /http:\/\/[\d.:]+\//.exec(line)?.[0]
    if (url) return url
    console.error(line)
  }
  throw new Error('the demo site ended before it printed its address')
}

async function crawl(url: string): Promise<number> {
  const { host } = new URL(url)
  const flags = `--allow-private ${host} --rate 20/s --max-pages ${maxPages} --extract examples/demo/product.yaml`
  const places = `--job demo --data-dir ${folder} -o ${productsFile}`
  const command = `crawl ${url} ${flags} ${places}`
  console.error(`$ ./kscrape ${command}\n`)
  const crawling = spawn('./kscrape', command.split(' '), { stdio: ['ignore', 'inherit', 'inherit'] })
  const [code] = (await once(crawling, 'exit')) as [number | null]
  return code ?? 1
}

function showProducts(): void {
  const lines = readFileSync(productsFile, 'utf8').trim().split('\n')
  const products = lines.map(line => JSON.parse(line) as Product)
  const rows = products.slice(0, shownRecords).map(cellsOf)
  console.log(`\n${table([['NAME', 'PRICE', 'BRAND', 'STOCK', 'RATING', 'TAGS'], ...rows])}`)
  if (products.length > shownRecords) console.log(`… ${products.length - shownRecords} more`)
  console.log(
    `\nAll ${products.length} records are in ${productsFile}. In another format, without fetching again:`,
  )
  console.log(`  ./kscrape jobs export demo --data-dir ${folder} -o products.csv`)
}

const cellsOf = ({ name, price, brand, in_stock, rating, tags }: Product): string[] => [
  name ?? '–',
  price ? `${price.amount.toFixed(2)} ${price.currency}` : '–',
  brand ?? '–',
  in_stock === null ? '–' : in_stock ? 'yes' : 'no',
  rating?.toFixed(1) ?? '–',
  tags.join(', '),
]

function table(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => row[column]!.length)))
  const lineOf = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ')
  return rows.map(row => lineOf(row).trimEnd()).join('\n')
}

process.exitCode = await main()
