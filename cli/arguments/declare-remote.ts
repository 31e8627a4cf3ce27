import { type Command, Option } from 'commander'
import { roles } from '../../functions/api/roles.ts'
import type { Attach } from './attach-handler.ts'
import { collect } from './flags.ts'

/** Declares what has to do with an API: `login`, `deploy`, `token` and their kin. */
export function declareRemote(root: Command, attach: Attach): void {
  attach(
    root
      .command('login <address>')
      .description('work on the stacks of an API from now on, instead of those of this machine')
      .option('--token <token>', 'the token; otherwise ANTICHAIN_TOKEN, or you are asked for it'),
    async () => (await import('../commands/login.ts')).login,
  )
  attach(
    root.command('logout').description('work on the stacks of this machine again'),
    async () => (await import('../commands/login.ts')).logout,
  )
  attach(
    root
      .command('whoami')
      .description('say which stacks are worked on, and what the token may do')
      .option('-j, --json', 'as JSON'),
    async () => (await import('../commands/login.ts')).whoami,
  )
  attach(
    root
      .command('deploy')
      .description('upload the program of a stack, for webhooks and schedules; deploy nothing yet'),
    async () => (await import('../commands/deploy.ts')).uploadProgram,
  )
  declareTokens(root, attach)
}

function declareTokens(root: Command, attach: Attach): void {
  const token = root.command('token').description('who may use the API')
  attach(
    token
      .command('create [name]')
      .description('make a token, and print it once')
      .option(
        '--admin',
        'one that may do everything, instead of --role; in the store of this machine',
      )
      .addOption(new Option('--role <role>', 'what it may do').choices(roles))
      .option('--for <project/stack>', 'only for this stack; project/* for all of one', collect)
      .option('--days <number>', 'good for so many days; without it, for ever')
      .option('-j, --json', 'as JSON'),
    async () => (await import('../commands/token.ts')).createApiToken,
  )
  attach(
    token.command('ls').alias('list').description('list tokens').option('-j, --json', 'as JSON'),
    async () => (await import('../commands/token.ts')).listTokens,
  )
  attach(
    token.command('revoke <id>').alias('rm').description('have a token let nobody in any more'),
    async () => (await import('../commands/token.ts')).revokeToken,
  )
}
