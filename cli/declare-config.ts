import type { Command } from 'commander'
import { type Attach, refuseCommands } from './attach.ts'
import { missingCommands, missingOptions } from './missing.ts'

/** Declares `config` and what is below it. */
export function declareConfig(root: Command, attach: Attach): void {
  const config = listing(root.command('config').description('read and set configuration values'))
  config.option('--config-file <file>', 'the configuration file, instead of the one of the stack')
  const list = async () => (await import('./commands/config-ls.ts')).configLs
  attach(config, list, missingOptions.config)
  attach(listing(config.command('ls').alias('list').description('list configuration values')), list)
  attach(
    config
      .command('set <key> [value]')
      .description('set a value; without one it is asked for or read from standard input')
      .option('--secret', 'encrypt it')
      .option('--plaintext', 'do not encrypt it')
      .option('--path', 'the key is a path into a map or list')
      .option('--raw', 'keep the line end of a value from standard input'),
    async () => (await import('./commands/config-set.ts')).configSet,
    missingOptions.configSet,
  )
  attach(
    config
      .command('get <key>')
      .description('print a value, a secret one too')
      .option('--path', 'the key is a path into a map or list')
      .option('-j, --json', 'as JSON'),
    async () => (await import('./commands/config-get.ts')).configGet,
  )
  attach(
    config
      .command('rm <key>')
      .aliases(['remove', 'delete'])
      .description('remove a value')
      .option('--path', 'the key is a path into a map or list'),
    async () => (await import('./commands/config-rm.ts')).configRm,
  )
  refuseCommands(config, missingCommands.config)
}

function listing(command: Command): Command {
  return command.option('-j, --json', 'as JSON').option('--show-secrets', 'show secrets in clear')
}
