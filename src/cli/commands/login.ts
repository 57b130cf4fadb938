// kscrape login and sessions: log in by hand once, and manage stored sessions.
import { type AddCommand, lazily } from '../command.ts'
import { gathered } from '../flags/flag-values.ts'
import { lookFlags, steerFlags } from '../flags/flags.ts'

const running = () => import('../actions/login.ts')

export const addLogin: AddCommand = program => {
  steerFlags(
    program
      .command('login')
      .argument('<name>', 'name of the session')
      .argument('[url]', 'page to open first'),
  )
    .description('open a visible browser, let you log in, and store the session for --session')
    .option('--allow-private <host:port>', 'allow this private address (repeatable)', gathered)
    .addHelpText(
      'after',
      '\nClose the window, or press Enter here, when you are logged in. Ctrl-C stores nothing.',
    )
    .action(lazily(async () => (await running()).login))
}

export const addSessions: AddCommand = program => {
  const sessions = program.command('sessions').description('manage the stored sessions for --session')
  lookFlags(sessions.command('list'))
    .description('list the sessions of this data directory')
    .action(lazily(async () => (await running()).listSessions))
  lookFlags(sessions.command('show').argument('<name>'))
    .description('show the names and lifetimes of the cookies of a session, never their values')
    .action(lazily(async () => (await running()).showSession))
  steerFlags(sessions.command('import').argument('<name>').argument('<file>'))
    .description('store cookies and local storage of a file: Playwright’s storageState, cookies.txt or JSON')
    .action(lazily(async () => (await running()).importSession))
  steerFlags(sessions.command('export').argument('<name>'))
    .description('write a session as Playwright’s storageState; the file is as secret as a password')
    .requiredOption('-o, --output <file>', 'the file to write; only you can read it')
    .action(lazily(async () => (await running()).exportSession))
  steerFlags(sessions.command('rm').argument('<name>'))
    .description('delete a session')
    .action(lazily(async () => (await running()).removeSession))
}
