// kscrape archive: checks and shows web archives.
import { type AddCommand, lazily } from '../command.ts'
import { whole } from '../flags/flag-values.ts'

const acting = () => import('../actions/archive.ts')

export const addArchive: AddCommand = program => {
  const archive = program.command('archive').description('check and show web archives (.wacz)')
  archive
    .command('check')
    .argument('<file.wacz>', 'the archive')
    .description('check a WACZ file against its specification: hashes, index offsets, page list, records')
    .option('--json', 'print the result and errors as JSON')
    .action(lazily(async () => (await acting()).checkArchiveFile))
  archive
    .command('show')
    .argument('<file>', 'a .wacz or .warc.gz file')
    .description('serve an archive in a local viewer (needs the package replaywebpage)')
    .option('-p, --port <n>', 'port to listen on; 0 selects a free port (default 0)', whole(0, 65_535))
    .option('--json', 'print the result and errors as JSON')
    .addHelpText('after', notes)
    .action(lazily(async () => (await acting()).showArchiveFile))
}

const notes = `
The viewer is replayweb.page. Install it first: npm install replaywebpage
Archives with images, styles and data come from --archive:

  kscrape crawl https://example.com --max-pages 5 --render always --archive -o pages.wacz
  kscrape archive show pages.wacz`
