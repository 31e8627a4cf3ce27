import type { Command } from 'commander'
import type { Attach } from './handler.ts'

/** Declares the commands of `deployment` that list and decide plans. */
export function declareApprovals(deployment: Command, attach: Attach): void {
  attach(
    deployment
      .command('approvals')
      .description('List the requests whose plans wait for an approval or were decided')
      .option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/deployment-approvals.ts')).listApprovalsOfStack,
  )
  for (const [name, verdict, effect] of [
    ['approve', 'approved', 'Approve the plan of a request, so that exactly this plan is applied'],
    ['reject', 'rejected', 'Reject the plan of a request'],
  ] as const)
    attach(
      deployment
        .command(name)
        .argument('<request>', 'Key of the request')
        .description(effect)
        .option('--note <text>', 'Reason of the decision')
        .option('-j, --json', 'Print JSON'),
      async () =>
        (await import('../commands/deployment-approvals.ts')).createDecisionHandler(verdict),
    )
}

/** Declares `stack approval`. */
export function declareApprovalRule(stack: Command, attach: Attach): void {
  attach(
    stack
      .command('approval')
      .description('Show or change the commands whose plans need an approval')
      .option('--require <commands>', 'up, destroy, both with a comma, or none')
      .option('--expire-hours <number>', 'Time in which a plan can be approved (default: 24)')
      .option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/deployment-approvals.ts')).changeApprovalRule,
  )
}
