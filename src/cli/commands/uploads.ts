// kscrape uploads: files of rows that a service stores for its jobs.
import { type AddCommand, lazily } from '../command.ts'
import { serviceFlags } from '../flags/flags.ts'

const doing = () => import('../actions/uploads.ts')

export const addUploads: AddCommand = program => {
  const uploads = program
    .command('uploads')
    .description('send files of rows to a service, list them and delete them')
  serviceFlags(uploads.command('send').argument('<file>', '.txt .csv .tsv .json .jsonl, also gzipped'))
    .description('send a file and print its id, for the upload_id of a job')
    .action(lazily(async () => (await doing()).send))
  serviceFlags(uploads.command('list'))
    .description('list uploads, newest first')
    .action(lazily(async () => (await doing()).list))
  serviceFlags(uploads.command('delete').argument('<upload>'))
    .description('delete an upload and its file')
    .action(lazily(async () => (await doing()).remove))
}
