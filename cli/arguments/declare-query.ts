import type { Command } from 'commander'
import type { Attach } from './handler.ts'

/** Declares `query`. */
export function declareQuery(root: Command, attach: Attach): void {
  attach(
    root
      .command('query <sql>')
      .description('Query all stacks in SQL: resources, properties, deployments and more')
      .option('-p, --project <name>', 'Query the stacks of one project only')
      .option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/query.ts')).queryStacks,
  )
}
