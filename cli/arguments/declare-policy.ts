import { type Command, Option } from 'commander'
import { collectValues } from './flags.ts'
import { type Attach, declareUnsupportedCommands } from './handler.ts'
import { unsupportedCommands, unsupportedOptions } from './unsupported.ts'

/** Declares `policy`: the creation of packs, and the packs that are attached to stacks. */
export function declarePolicy(root: Command, attach: Attach): void {
  const policy = root
    .command('policy')
    .description('Create policy packs, and attach them to stacks')
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
  declareAttachedPolicies(policy, attach)
  declareUnsupportedCommands(policy, unsupportedCommands.policy)
}

/** Declares the commands of policy packs that an administrator attaches to stacks. */
function declareAttachedPolicies(policy: Command, attach: Attach): void {
  attach(
    policy
      .command('attach')
      .argument('<folder>', 'Folder of the policy pack, with its installed packages')
      .description(
        'Attach a policy pack to stacks (--stack is repeatable): it checks their deployments',
      )
      .option('--name <name>', 'Name of the policy pack (default: that of the folder)')
      .option('-a, --all', 'Attach the pack to all stacks')
      .addOption(
        new Option('--project <name>', 'Attach the pack to the stacks of this project (repeatable)')
          .argParser(collectValues)
          .default([]),
      )
      .addOption(
        new Option('--tag <name=value>', 'Attach the pack to stacks with this tag (repeatable)')
          .argParser(collectValues)
          .default([]),
      )
      .option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/policy-attach.ts')).attachPolicy,
  )
  attach(
    policy
      .command('detach')
      .argument('<name>', 'Name of the policy pack')
      .description('Detach a policy pack from all of its stacks'),
    async () => (await import('../commands/policy-attach.ts')).detachPolicy,
  )
  attach(
    policy
      .command('ls')
      .alias('list')
      .description('List the attached policy packs')
      .option('--attached', 'List the attached policy packs (the default)')
      .option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/policy-attach.ts')).listAttachedPolicies,
  )
}
