import type { Command } from 'commander'
import type { Attach } from './handler.ts'
import { collectValues } from './flags.ts'
import { checkNames } from '../verify/check-report.ts'

/** Declares `platform` and its subcommands. */
export function declarePlatform(root: Command, attach: Attach): void {
  const platform = root
    .command('platform')
    .description('Manage installations on AWS, and export and import all stacks')
  attach(
    addLocationOptions(platform.command('deploy'))
      .description('Create or update an installation')
      .option('--set <name=value>', 'Setting of the installation (repeatable)', collectValues)
      .option('--preview', 'Preview without changing anything')
      .option('-y, --yes', 'Skip the confirmation prompt'),
    async () => (await import('../commands/platform-deploy.ts')).deployPlatform,
  )
  attach(
    addLocationOptions(
      platform.command('token').argument('[name]', 'Name of the token (default: admin)'),
    )
      .description('Create an admin token for the API and print it once')
      .option('--days <number>', 'Days until the token expires, or never (default: 90)')
      .option('-y, --yes', 'Skip the confirmation prompt')
      .option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/platform-token.ts')).createPlatformToken,
  )
  attach(
    addLocationOptions(platform.command('destroy'))
      .description('Delete an installation except its tables, bucket and keys')
      .option('-y, --yes', 'Skip the confirmation prompt'),
    async () => (await import('../commands/platform-destroy.ts')).destroyPlatform,
  )
  attach(
    addLocationOptions(platform.command('status'))
      .description('Show the resources, addresses and queues of an installation')
      .option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/platform-status.ts')).showPlatformStatus,
  )
  declareExports(platform, attach)
  attach(
    addLocationOptions(platform.command('verify'))
      .description('Run a smoke test in an installation, with its API and an admin token')
      .option(
        '--only <check>',
        `Check to run: ${checkNames.join(', ')} (repeatable)`,
        collectValues,
      )
      .option('--secrets-provider <url>', 'Secrets provider (default: key of the installation)')
      .option('--webhook-url <url>', 'Address of webhooks (default: read from AWS)')
      .option(
        '--packages <folder>',
        'Folder with @pulumi/pulumi, instead of an installation by npm',
      )
      .option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/platform-verify.ts')).verifyPlatform,
  )
}

/** Declares `platform export` and `platform import`, which also work without an installation. */
function declareExports(platform: Command, attach: Attach): void {
  attach(
    platform
      .command('export')
      .argument('<path>', 'New folder, or archive (.tar.gz)')
      .description('Export all stacks with history and settings, and the audit log')
      .option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/platform-export.ts')).exportPlatform,
  )
  attach(
    platform
      .command('import')
      .argument('<path>', 'Folder or archive of an export')
      .description('Import the stacks of an export that do not exist here')
      .option('--preview', 'List the stacks and conflicts without changing anything')
      .option('--overwrite', 'Replace the states of existing stacks')
      .option('-y, --yes', 'Skip the confirmation prompt')
      .option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/platform-import.ts')).importPlatform,
  )
}

function addLocationOptions(command: Command): Command {
  return command
    .option('--installation <name>', 'Name of the installation (default: antichain)')
    .option('--region <region>', 'AWS region (default: AWS_REGION)')
    .option('--profile <name>', 'Profile of the AWS configuration (default: AWS_PROFILE)')
}
