import type { Command } from 'commander'
import { type Attach, declareUnsupportedCommands } from './handler.ts'
import { unsupportedCommands, unsupportedOptions } from './unsupported.ts'

/** Declares `policy new`, and the commands of policy packs on a server, which are refused. */
export function declarePolicy(root: Command, attach: Attach): void {
  const policy = root.command('policy').description('Create policy packs')
  attach(
    policy
      .command('new')
      .aliases(['create', 'setup'])
      .argument(
        '[template]',
        'Name of a template, a folder, or a git repository (default: a prompt)',
      )
      .description('Create a policy pack from a template')
      .option('--dir <folder>', 'Folder of the policy pack (default: the current one)')
      .option('-f, --force', 'Overwrite files of a folder that is not empty')
      .option('-g, --generate-only', 'Write the files only, without dependencies')
      .option('-o, --offline', 'No effect: templates of this package need no network'),
    async () => (await import('../commands/policy-new.ts')).createPolicyPack,
    unsupportedOptions.new,
  )
  declareUnsupportedCommands(policy, unsupportedCommands.policy)
}
