import { type Command, Option } from 'commander'
import type { Attach } from './handler.ts'
import { configTypes } from '../config/typed-value.ts'
import { collectValues } from './flags.ts'
import { addJsonOptions } from './output-option.ts'
import { unsupportedOptions } from './unsupported.ts'

/** Declares `config` and its subcommands. */
export function declareConfig(root: Command, attach: Attach): void {
  const config = addListingOptions(
    root.command('config').description('Manage configuration values'),
  )
  config.option(
    '--config-file <file>',
    'Use this configuration file instead of Pulumi.<stack>.yaml',
  )
  const loadHandler = async () => (await import('../commands/config-ls.ts')).listConfig
  attach(config, loadHandler, unsupportedOptions.config)
  attach(
    addListingOptions(config.command('ls').alias('list').description('List configuration values')),
    loadHandler,
  )
  attach(
    config
      .command('set')
      .argument('<key>', 'Name of the value, such as aws:region')
      .argument('[value]', 'The value (default: read from a prompt or standard input)')
      .description('Set a configuration value, or read it from a prompt or standard input')
      .option('--secret', 'Encrypt the value')
      .option('--plaintext', 'Store the value unencrypted')
      .option('--path', 'Treat the key as a path into a map or list')
      .option('--raw', 'Keep the trailing newline of standard input')
      .addOption(new Option('--type <type>', 'Type of the value in the file').choices(configTypes)),
    async () => (await import('../commands/config-set.ts')).setConfig,
  )
  attach(
    config
      .command('get')
      .argument('<key>', 'Name of the value, such as aws:region')
      .description('Print a configuration value, decrypted if it is secret')
      .option('--path', 'Treat the key as a path into a map or list')
      .option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/config-get.ts')).getConfig,
  )
  attach(
    config
      .command('rm')
      .argument('<key>', 'Name of the value, such as aws:region')
      .aliases(['remove', 'delete'])
      .description('Remove a configuration value')
      .option('--path', 'Treat the key as a path into a map or list'),
    async () => (await import('../commands/config-rm.ts')).removeConfig,
  )
  attach(
    config
      .command('set-all')
      .argument('[values]', 'With --json: the values, in the format of `config --json`')
      .description('Set several configuration values (--json takes the output of `config --json`)')
      .addOption(
        createListOption('--plaintext <key=value>', 'Value to store unencrypted (repeatable)'),
      )
      .addOption(createListOption('--secret <key=value>', 'Value to encrypt (repeatable)'))
      .option('--path', 'Treat the keys as paths into maps or lists')
      .option('-j, --json', 'Read the values from JSON'),
    async () => (await import('../commands/config-set-all.ts')).setAllConfig,
  )
  attach(
    config
      .command('rm-all')
      .argument('<key...>', 'Names of the values, such as aws:region')
      .aliases(['remove-all', 'delete-all'])
      .description('Remove several configuration values')
      .option('--path', 'Treat the keys as paths into maps or lists'),
    async () => (await import('../commands/config-rm-all.ts')).removeAllConfig,
  )
  declareTransfers(config, attach)
  declareEnvironments(config, attach)
}

/** Declares the commands that copy values to another stack, or from a deployment. */
function declareTransfers(config: Command, attach: Attach): void {
  attach(
    config
      .command('cp')
      .argument('[key]', 'Name of the value to copy (default: all values)')
      .alias('copy')
      .description('Copy one value or all values to another stack')
      .option('-d, --dest <stack>', 'The stack to copy to')
      .option('--path', 'Treat the key as a path into a map or list'),
    async () => (await import('../commands/config-cp.ts')).copyConfig,
  )
  attach(
    config
      .command('refresh')
      .description('Restore the stack file with the configuration of the most recent deployment')
      .option('-f, --force', 'Keep no copy of the previous file'),
    async () => (await import('../commands/config-refresh.ts')).refreshConfig,
  )
}

/** Creates an option that can be repeated. */
function createListOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser(collectValues)
}

/** Adds the options of commands that list values. */
function addListingOptions(command: Command): Command {
  return command
    .option('-j, --json', 'Print JSON')
    .option('--show-secrets', 'Show secrets in plaintext')
}

function declareEnvironments(config: Command, attach: Attach): void {
  const environments = config.command('env').description('Manage the environments of a stack')
  attach(
    addJsonOptions(
      environments.command('ls').alias('list').description('List the environments of the stack'),
    ),
    async () => (await import('../commands/config-env.ts')).listConfigEnvironments,
  )
  attach(
    environments
      .command('add')
      .argument('<name...>', 'Names of the environments, such as shop/prod')
      .description('Add environments, which are files in `environments/`')
      .option('-y, --yes', 'No effect: there is no prompt'),
    async () => (await import('../commands/config-env.ts')).addConfigEnvironments,
  )
  attach(
    environments
      .command('rm')
      .argument('<name>', 'Name of the environment, such as shop/prod')
      .aliases(['remove', 'delete'])
      .description('Remove an environment from the stack')
      .option('-y, --yes', 'No effect: there is no prompt'),
    async () => (await import('../commands/config-env.ts')).removeConfigEnvironment,
  )
  attach(
    environments
      .command('init')
      .description('Move the plain values of the stack to a new environment in `environments/`')
      .option('--env <name>', 'Name of the environment (default: <project>/<stack>)')
      .option('--keep-config', 'Keep the values in the stack file too')
      .option('--show-secrets', 'No effect: secrets stay in the stack file')
      .option('-y, --yes', 'Skip the confirmation prompt'),
    async () => (await import('../commands/config-env-init.ts')).initConfigEnvironment,
  )
}
