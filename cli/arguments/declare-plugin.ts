import type { Command } from 'commander'
import type { Attach } from './attach-handler.ts'

/** Declares `plugin` and what stands below it. */
export function declarePlugin(root: Command, attach: Attach): void {
  const plugin = root.command('plugin').description('plugins of this machine and of an API')
  attach(
    plugin
      .command('install [kind] [name] [version]')
      .description('install a plugin, or all that the program of the folder needs')
      .option('--server <url>', 'where to download it from')
      .option('--checksum <hash>', 'the SHA-256 that its archive must have, in hex')
      .option('-f, --file <path>', 'take it from a binary, folder or archive instead')
      .option('--exact', 'another version that is newer does not do')
      .option('--reinstall', 'also where it is installed already')
      .option('--parallel <number>', 'how many at once', '4'),
    async () => (await import('../commands/plugin-install.ts')).installPlugins,
  )
  attach(
    plugin
      .command('ls')
      .alias('list')
      .description('list the plugins of the cache')
      .option('-p, --project', 'only those that the program of the folder needs')
      .option('-j, --json', 'as JSON'),
    async () => (await import('../commands/plugin-ls.ts')).listPlugins,
  )
  attach(
    plugin
      .command('rm [kind] [name] [version]')
      .aliases(['remove', 'delete'])
      .description('remove plugins from the cache; the version may be a range')
      .option('-a, --all', 'all of them')
      .option('-y, --yes', 'do not ask'),
    async () => (await import('../commands/plugin-rm.ts')).removePlugins,
  )
  attach(
    plugin
      .command('run <name> [args...]')
      .description('run the binary of a plugin')
      .option('--kind <kind>', 'the kind of the plugin', 'tool')
      .allowUnknownOption(),
    async () => (await import('../commands/plugin-run.ts')).runPlugin,
  )
  attach(
    plugin
      .command('push <archive>')
      .description('send the archive of a plugin, as it is published, to the API'),
    async () => (await import('../commands/plugin-push.ts')).pushPlugin,
  )
}
