import { type Command, Option } from 'commander'
import type { Attach } from './handler.ts'

/** Declares `registry` and its subcommands. */
export function declareRegistry(root: Command, attach: Attach): void {
  const registry = root
    .command('registry')
    .description('Manage the registries from which the API installs packages of programs')
  attach(
    registry
      .command('set')
      .argument('<name>', 'Name of the registry, such as corp')
      .argument('<address>', 'Address of the registry, such as https://npm.example.com/')
      .description('Store a package registry, or replace it')
      .addOption(
        new Option('--manager <manager>', 'Package manager: npm (also for pnpm and yarn) or pip')
          .choices(['npm', 'pip'])
          .default('npm'),
      )
      .option('--scope <scope>', 'Use the registry for an npm scope only, such as @acme')
      .option('--run-scripts', 'Let code of packages run, which can read the credential')
      .addHelpText(
        'after',
        'Set ANTICHAIN_CREDENTIAL to the token of the registry, or to <user>:<password>.',
      ),
    async () => (await import('../commands/package-registry.ts')).setPackageRegistry,
  )
  attach(
    registry
      .command('ls')
      .alias('list')
      .description('List the package registries')
      .option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/package-registry.ts')).listPackageRegistries,
  )
  attach(
    registry
      .command('rm')
      .argument('<name>', 'Name of the registry')
      .alias('remove')
      .description('Remove a package registry'),
    async () => (await import('../commands/package-registry.ts')).removePackageRegistry,
  )
}
