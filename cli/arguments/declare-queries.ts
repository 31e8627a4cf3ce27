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

/** Declares `query`. */
export function declareQuery(root: Command, attach: Attach): void {
  attach(
    root
      .command('query')
      .argument('<sql>', 'The query, such as: select type, urn from resources')
      .description('Query all stacks in SQL: resources, properties, deployments and more')
      .option('-p, --project <name>', 'Query the stacks of one project only')
      .option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/query.ts')).queryStacks,
  )
}

/** Declares `drift`. */
export function declareDriftList(root: Command, attach: Attach): void {
  const drift = root.command('drift').description('Show the drift that schedules found')
  attach(
    drift
      .command('ls')
      .alias('list')
      .description('List the drift of all stacks')
      .option('--project <name>', 'List the stacks of one project only')
      .option('--drifted', 'List only stacks with drift, and stacks whose last run failed')
      .option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/drift-ls.ts')).listDrift,
  )
}

/** Declares `audit`. */
export function declareAudit(root: Command, attach: Attach): void {
  const audit = root.command('audit').description('Show the audit log of changes')
  attach(
    audit
      .command('ls')
      .alias('list')
      .description('List the entries of the audit log, newest first')
      .option('--limit <number>', 'Maximum number of entries (default: 100)')
      .option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/audit-ls.ts')).listAudit,
  )
}
