import { type Command, Option } from 'commander'
import type { Attach } from './handler.ts'
import { collectValues } from './flags.ts'

/** Declares `provider` and its subcommands. */
export function declareProvider(root: Command, attach: Attach): void {
  const provider = root.command('provider').description('Check providers of Pulumi and Terraform')
  attach(
    provider
      .command('check')
      .argument(
        '<plugin>',
        'Path of the provider, name of its plugin, or address of a Terraform provider',
      )
      .argument('[version]', 'Version of the provider (default: an installed one, or the latest)')
      .description('Check a provider against the contracts of its protocol, with real objects')
      .addOption(
        new Option('--protocol <name>', 'Protocol of the provider (default: by its name)').choices([
          'pulumi',
          'terraform',
        ]),
      )
      .option('--config <file>', 'JSON file with configurations of the provider and its types')
      .option('--type <tokens>', 'Check only these types, separated by commas')
      .option('--env <name=value>', 'Set a variable of the provider (repeatable)', collectValues)
      .option('--timeout <duration>', 'Time that the provider gets for each call', '2m')
      .option('-j, --json', 'Print JSON')
      .option('--junit <file>', 'Also write the report to a file, as JUnit XML')
      .option('-y, --yes', 'Skip the confirmation prompt'),
    async () => (await import('../commands/provider-check.ts')).checkProvider,
  )
}
