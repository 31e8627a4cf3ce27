import { type Command, Option } from 'commander'
import type { Attach } from './handler.ts'

/** Declares `plugin` and its subcommands. */
export function declarePlugin(root: Command, attach: Attach): void {
  const plugin = root
    .command('plugin')
    .description('Manage the plugins of this machine and of the API')
  attach(
    plugin
      .command('install')
      .argument(
        '[kind]',
        'Kind of the plugin: resource, language, analyzer, converter, tool or terraform',
      )
      .argument(
        '[name]',
        'Name of the plugin, or address of its repository or of a Terraform provider',
      )
      .argument('[version]', 'Version of the plugin (default: an installed one, or the latest)')
      .description('Install a plugin, or all plugins that the program requires')
      .option('--server <url>', 'Download the plugin from this URL')
      .option('--checksum <hash>', 'SHA-256 that the archive must have, in hex')
      .option('-f, --file <path>', 'Install from a local binary, folder or archive')
      .option('--exact', 'Install this version even if a newer one is installed')
      .option('--reinstall', 'Reinstall plugins that are already installed')
      .option('--lock', 'Record Terraform providers in .terraform.lock.hcl of this folder')
      .option('--parallel <number>', 'Maximum number of concurrent installations', '4'),
    async () => (await import('../commands/plugin-install.ts')).installPlugins,
  )
  attach(
    plugin
      .command('ls')
      .alias('list')
      .description('List the plugins in the cache')
      .option('-p, --project', 'List only plugins that the program requires')
      .option('--api', 'List the plugins that the API stores for its functions')
      .option('-j, --json', 'Print JSON')
      .addOption(new Option('--output <format>', 'Output format').choices(['default', 'json'])),
    async () => (await import('../commands/plugin-ls.ts')).listPlugins,
  )
  attach(
    plugin
      .command('rm')
      .argument(
        '[kind]',
        'Kind of the plugin: resource, language, analyzer, converter, tool or terraform',
      )
      .argument('[name]', 'Name of the plugin (default: all plugins of the kind)')
      .argument('[version]', 'Version or range of versions (default: all versions)')
      .aliases(['remove', 'delete'])
      .description('Remove plugins from the cache')
      .option('-a, --all', 'Remove all plugins')
      .option('-y, --yes', 'Skip the confirmation prompt'),
    async () => (await import('../commands/plugin-rm.ts')).removePlugins,
  )
  attach(
    plugin
      .command('run')
      .argument('<name>', 'Name of the plugin, optionally with @<version>, or path of its binary')
      .argument('[args...]', 'Arguments of the plugin')
      .description('Run the binary of a plugin')
      .option('--kind <kind>', 'Kind of the plugin', 'tool')
      .allowUnknownOption(),
    async () => (await import('../commands/plugin-run.ts')).runPlugin,
  )
  declareStoredPlugins(plugin, attach)
}

/** Declares the subcommands about the plugins that an API stores. */
function declareStoredPlugins(plugin: Command, attach: Attach): void {
  attach(
    plugin
      .command('push')
      .argument('<archive>', 'Path of the archive, with the file name of the release')
      .description('Upload the release archive of a plugin to the API, whose functions use it')
      .option('--source <address>', 'Address of the Terraform provider in a zip file'),
    async () => (await import('../commands/plugin-push.ts')).pushPlugin,
  )
  attach(
    plugin
      .command('allow')
      .argument('<source>', 'Source such as pulumi/* or registry.opentofu.org/acme/*, or ls')
      .description('Let the functions of the API download plugins from a source, or list sources')
      .option('-j, --json', 'Print the list as JSON')
      .addHelpText('after', 'Set ANTICHAIN_CREDENTIAL to the credential of a private source.'),
    async () => (await import('../commands/plugin-allow.ts')).allowPluginSource,
  )
  attach(
    plugin
      .command('disallow')
      .argument('<source>', 'Source as `plugin allow ls` shows it')
      .description('End the downloads of plugins from a source'),
    async () => (await import('../commands/plugin-allow.ts')).disallowPluginSource,
  )
}
