import type { Command } from 'commander'
import type { Attach } from './handler.ts'

/** Declares `limit`. */
export function declareLimits(root: Command, attach: Attach): void {
  const limit = root.command('limit').description('Show the limits of provider calls')
  attach(
    limit
      .command('ls')
      .alias('list')
      .description('List the limits that the stack used in the last day')
      .option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/limit-ls.ts')).listLimits,
  )
}
