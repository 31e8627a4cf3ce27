import { type Command, Option } from 'commander'
import { collectValues } from './flags.ts'
import type { Attach } from './handler.ts'
import { addJsonOptions, addOutputOption } from './output-option.ts'

/** Declares the history of a stack, and the events of its deployments. */
export function declareStackHistory(stack: Command, attach: Attach): void {
  const history = attach(
    addJsonOptions(
      stack.command('history').alias('hist').description('Show the history of a stack'),
    )
      .option('--show-secrets', 'No effect: the history contains no secrets')
      .option(
        '--show <number>',
        'Show the moments of one deployment, and the pending operations that it resolved',
      )
      .option('--page <number>', 'Page number')
      .option('--page-size <number>', 'Results per page')
      .option('--full-dates', 'No effect: dates are always full'),
    async () => (await import('../commands/stack-history.ts')).showStackHistory,
  )
  attach(
    addOutputOption(
      history
        .command('events')
        .argument('<number>', 'Number of the deployment, or latest')
        .description('Show the engine events of a deployment'),
    )
      .option('--all', 'Show all events (default: the first page with events)')
      .option('--count <number>', 'Read pages of 100 events until this many are shown')
      .option('--urn <urn>', 'Show the events of one resource only')
      .option(
        '--event-type <code>',
        'Show only the events of the kind with this code (repeatable)',
        collectValues,
      )
      .addOption(
        new Option('--summary', 'Summarize all events, with failed resources and errors').conflicts(
          ['count', 'eventType', 'urn'],
        ),
      )
      // Clients of Pulumi may pass this option. It has no effect, because all events are shown.
      .addOption(new Option('--include-non-activated').hideHelp()),
    async () => (await import('../commands/stack-history-events.ts')).showDeploymentEvents,
  )
}
