// kscrape login and sessions: log in by hand once, and look at what is kept.
import { type AddCommand, lazily } from '../command.ts'
import { gathered } from '../flags/flag-values.ts'
import { lookFlags, steerFlags } from '../flags/flags.ts'

const running = () => import('../actions/login.ts')

export const addLogin: AddCommand = program => {
  steerFlags(
    program.command('login').argument('<name>', 'of the session').argument('[url]', 'where to begin'),
  )
    .description('open a visible browser to log in with, and keep the session under a name for --session')
    .option('--allow-private <host:port>', 'let this one private place be visited (repeatable)', gathered)
    .addHelpText(
      'after',
      '\nClose the window, or press Enter here, when you are logged in. Ctrl-C keeps nothing.',
    )
    .action(lazily(async () => (await running()).login))
}

export const addSessions: AddCommand = program => {
  const sessions = program.command('sessions').description('what is kept for --session: list, show, rm')
  lookFlags(sessions.command('list'))
    .description('the sessions of this data directory')
    .action(lazily(async () => (await running()).listSessions))
  lookFlags(sessions.command('show').argument('<name>'))
    .description('what a session holds: names and lifetimes, never values')
    .action(lazily(async () => (await running()).showSession))
  steerFlags(sessions.command('rm').argument('<name>'))
    .description('forget a session')
    .action(lazily(async () => (await running()).removeSession))
}
