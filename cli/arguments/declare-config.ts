import { type Command, Option } from 'commander'
import { type Attach, declareUnsupportedCommands } from './attach-handler.ts'
import { collect } from './flags.ts'
import { unsupportedCommands, unsupportedOptions } from './unsupported.ts'

/** Declares `config` and what is below it. */
export function declareConfig(root: Command, attach: Attach): void {
  const config = addListingOptions(
    root.command('config').description('read and set configuration values'),
  )
  config.option('--config-file <file>', 'the configuration file, instead of the one of the stack')
  const list = async () => (await import('../commands/config-ls.ts')).listConfig
  attach(config, list, unsupportedOptions.config)
  attach(
    addListingOptions(config.command('ls').alias('list').description('list configuration values')),
    list,
  )
  attach(
    config
      .command('set <key> [value]')
      .description('set a value; without one it is asked for or read from standard input')
      .option('--secret', 'encrypt it')
      .option('--plaintext', 'do not encrypt it')
      .option('--path', 'the key is a path into a map or list')
      .option('--raw', 'keep the line end of a value from standard input'),
    async () => (await import('../commands/config-set.ts')).setConfig,
    unsupportedOptions.configSet,
  )
  attach(
    config
      .command('get <key>')
      .description('print a value, a secret one too')
      .option('--path', 'the key is a path into a map or list')
      .option('-j, --json', 'as JSON'),
    async () => (await import('../commands/config-get.ts')).getConfig,
  )
  attach(
    config
      .command('rm <key>')
      .aliases(['remove', 'delete'])
      .description('remove a value')
      .option('--path', 'the key is a path into a map or list'),
    async () => (await import('../commands/config-rm.ts')).removeConfig,
  )
  attach(
    config
      .command('set-all [values]')
      .description('set many values; with --json those that `config --json` printed')
      .addOption(createListOption('--plaintext <key=value>', 'a value that is not encrypted'))
      .addOption(createListOption('--secret <key=value>', 'a value that is encrypted'))
      .option('--path', 'the keys are paths into maps or lists')
      .option('-j, --json', 'the values are JSON'),
    async () => (await import('../commands/config-set-all.ts')).setAllConfig,
  )
  attach(
    config
      .command('rm-all <key...>')
      .aliases(['remove-all', 'delete-all'])
      .description('remove many values')
      .option('--path', 'the keys are paths into maps or lists'),
    async () => (await import('../commands/config-rm-all.ts')).removeAllConfig,
  )
  declareUnsupportedCommands(config, unsupportedCommands.config)
}

/** An option that may be given again. */
function createListOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser(collect)
}

function addListingOptions(command: Command): Command {
  return command.option('-j, --json', 'as JSON').option('--show-secrets', 'show secrets in clear')
}
