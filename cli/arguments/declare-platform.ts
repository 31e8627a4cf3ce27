import type { Command } from 'commander'
import type { Attach } from './attach-handler.ts'
import { collect } from './flags.ts'

/** Declares `platform` and what is below it. */
export function declarePlatform(root: Command, attach: Attach): void {
  const platform = root.command('platform').description('antichain itself on AWS')
  attach(
    addLocationOptions(platform.command('deploy'))
      .description('make an installation, or make it what this version is')
      .option('--set <name=value>', 'a setting of the installation; may be given again', collect)
      .option('--preview', 'show what would change, change nothing')
      .option('-y, --yes', 'do not ask'),
    async () => (await import('../commands/platform-deploy.ts')).deployPlatform,
  )
  attach(
    addLocationOptions(platform.command('token [name]'))
      .description('make a token of the API that may do everything, and print it once')
      .option('--days <number>', 'good for so long')
      .option('-y, --yes', 'do not ask')
      .option('-j, --json', 'as JSON'),
    async () => (await import('../commands/platform-token.ts')).createPlatformToken,
  )
  attach(
    addLocationOptions(platform.command('destroy'))
      .description('remove an installation; tables, bucket and keys stay')
      .option('-y, --yes', 'do not ask'),
    async () => (await import('../commands/platform-destroy.ts')).destroyPlatform,
  )
  attach(
    addLocationOptions(platform.command('status'))
      .description('show what is there of an installation, what waits and what was given up')
      .option('-j, --json', 'as JSON'),
    async () => (await import('../commands/platform-status.ts')).showPlatformStatus,
  )
}

function addLocationOptions(command: Command): Command {
  return command
    .option('--installation <name>', 'its name; several fit into one account (antichain)')
    .option('--region <region>', 'its region, instead of AWS_REGION')
    .option('--profile <name>', 'the profile of the AWS configuration, instead of AWS_PROFILE')
}
