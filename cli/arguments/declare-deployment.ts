import type { Command } from 'commander'
import type { Attach } from './handler.ts'

/** Declares `deployment` and its subcommands. */
export function declareDeployment(root: Command, attach: Attach): void {
  const deployment = root.command('deployment').description('Examine past deployments')
  attach(
    deployment
      .command('show [number]')
      .description('Show the critical path of a deployment, and where its time went')
      .option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/deployment-show.ts')).showDeploymentCourse,
  )
}
