import { type Command, Option } from 'commander'
import { collectValues } from './flags.ts'
import type { Attach } from './handler.ts'
import { addOutputOption } from './output-option.ts'

/**
 * Declares Pulumi's commands for schedules, drift, webhooks and policies of a stack. The schedules
 * are those of the command `schedule`, and the webhooks are those of `notification`.
 */
export function declareStackTriggers(stack: Command, attach: Attach): void {
  declareStackSchedules(stack, attach)
  declareDrift(stack, attach)
  declareWebhooks(stack, attach)
  const policy = stack.command('policy').description('Inspect the policies of a stack')
  attach(
    addOutputOption(
      policy.command('list').alias('ls').description('List the policy groups of the stack'),
    ),
    async () => (await import('../commands/stack-policy.ts')).listStackPolicies,
  )
}

/** Adds a switch. normalize-switches.ts rewrites `--<name>=false` to the option `--no-<name>`. */
function addValuedSwitch(command: Command, name: string, description: string): Command {
  return command.option(`--${name}`, description).addOption(new Option(`--no-${name}`).hideHelp())
}

function addScheduleOptions(command: Command): Command {
  command
    .option('--cron <expression>', 'Five cron fields, in UTC')
    .option('--once <time>', 'Time of the only run, such as 2027-01-31T04:00:00Z')
    .option('--operation <name>', 'Operation of a raw schedule: update, preview, refresh, destroy')
  addValuedSwitch(
    command,
    'auto-remediate',
    'Kind drift: run `up` after a refresh that found drift',
  )
  addValuedSwitch(command, 'delete-after-destroy', 'Kind ttl: remove the stack after the destroy')
  return addOutputOption(command)
}

function declareStackSchedules(stack: Command, attach: Attach): void {
  const schedule = stack
    .command('schedule')
    .description('Manage the schedules of a stack, as Pulumi does')
  const load = () => import('../commands/stack-schedule.ts')
  attach(
    addOutputOption(
      schedule
        .command('list')
        .alias('ls')
        .description('List the schedules')
        .option('--count <number>', 'Show at most this number of schedules'),
    ),
    async () => (await load()).listStackSchedules,
  )
  attach(
    addOutputOption(
      schedule.command('get').argument('<id>', 'Id of the schedule').description('Show a schedule'),
    ),
    async () => (await load()).showStackSchedule,
  )
  attach(
    addScheduleOptions(
      schedule
        .command('new')
        .aliases(['create', 'setup'])
        .description('Create a schedule')
        .option('--kind <kind>', 'Kind of the schedule: raw, drift, ttl')
        .option('-y, --yes', 'Skip prompts; fail if a required value is missing'),
    ),
    async () => (await load()).createStackSchedule,
  )
  attach(
    addScheduleOptions(
      schedule
        .command('edit')
        .argument('<id>', 'Id of the schedule')
        .aliases(['update', 'modify'])
        .description('Change some settings of a schedule'),
    ),
    async () => (await load()).editStackSchedule,
  )
  attach(
    schedule
      .command('remove')
      .argument('<id>', 'Id of the schedule')
      .aliases(['rm', 'delete'])
      .description('Remove a schedule')
      .option('-y, --yes', 'Skip the confirmation prompt'),
    async () => (await load()).removeStackSchedule,
  )
}

function declareDrift(stack: Command, attach: Attach): void {
  const drift = stack.command('drift').description('Show the runs that looked for drift')
  attach(
    addOutputOption(
      drift
        .command('list')
        .alias('ls')
        .description('List the runs that looked for drift, newest first')
        .option('--all', 'List all runs')
        .option('--count <number>', 'Number of runs (default: 10)'),
    ),
    async () => (await import('../commands/stack-drift.ts')).listDriftRunsOfStack,
  )
  attach(
    addOutputOption(drift.command('status').description('Show whether the latest run found drift')),
    async () => (await import('../commands/stack-drift.ts')).showDriftStatus,
  )
}

/** Adds an option that can be repeated. */
function addListOption(command: Command, flags: string, description: string): Command {
  return command.addOption(new Option(flags, description).argParser(collectValues))
}

function declareWebhooks(stack: Command, attach: Attach): void {
  const webhook = stack
    .command('webhook')
    .description('Manage the notifications of a stack, as Pulumi does')
  const load = () => import('../commands/stack-webhook.ts')
  attach(
    addOutputOption(webhook.command('list').alias('ls').description('List the webhooks')),
    async () => (await load()).listPulumiWebhooks,
  )
  attach(
    addOutputOption(
      webhook
        .command('get')
        .argument('<id>', 'Id of the webhook')
        .description('Show a webhook without its secret'),
    ),
    async () => (await load()).showPulumiWebhook,
  )
  declareWebhookChanges(webhook, attach)
  attach(
    webhook
      .command('remove')
      .argument('<id>', 'Id of the webhook')
      .aliases(['rm', 'delete'])
      .description('Remove a webhook')
      .option('-y, --yes', 'Skip the confirmation prompt'),
    async () => (await load()).removePulumiWebhook,
  )
  declareDeliveries(webhook, attach)
}

function declareWebhookChanges(webhook: Command, attach: Attach): void {
  const create = webhook
    .command('new')
    .aliases(['create', 'setup'])
    .description('Create a webhook')
    .option('--name <name>', 'Display name of the webhook')
    .option('--url <url>', 'URL that receives the deliveries')
    .option('--hook-format <format>', 'Format of the deliveries', 'raw')
    .option('--secret <text>', 'Secret that signs the deliveries (default: ANTICHAIN_SECRET)')
    .option('-y, --yes', 'Skip prompts; fail if a required value is missing')
  addListOption(create, '--event <event>', 'An event to send (repeatable)')
  addListOption(create, '--group <group>', 'A group of events to send (repeatable)')
  addValuedSwitch(create, 'active', 'Send deliveries, which is the default (=false: do not)')
  attach(
    addOutputOption(create),
    async () => (await import('../commands/stack-webhook-change.ts')).createPulumiWebhook,
  )
  const edit = webhook
    .command('edit')
    .argument('<id>', 'Id of the webhook')
    .aliases(['update', 'modify'])
    .description('Change some settings of a webhook')
    .option('--display-name <name>', 'Display name of the webhook')
    .option('--url <url>', 'URL that receives the deliveries')
    .option('--hook-format <format>', 'Format of the deliveries')
    .option('--secret <text>', 'Secret that signs the deliveries; an empty text removes it')
  for (const [noun, title] of [
    ['event', 'Event'],
    ['group', 'Group of events'],
  ] as const)
    for (const verb of ['add', 'remove'])
      addListOption(edit, `--${verb}-${noun} <${noun}>`, `${title} to ${verb} (repeatable)`)
  addValuedSwitch(edit, 'active', 'Send deliveries (=false: stop them)')
  attach(
    addOutputOption(edit),
    async () => (await import('../commands/stack-webhook-change.ts')).editPulumiWebhook,
  )
}

function declareDeliveries(webhook: Command, attach: Attach): void {
  const load = () => import('../commands/stack-webhook-delivery.ts')
  attach(
    addOutputOption(
      webhook
        .command('ping')
        .argument('<id>', 'Id of the webhook')
        .description('Send a test delivery, and show the response'),
    ),
    async () => (await load()).pingPulumiWebhook,
  )
  const delivery = webhook.command('delivery').description('Inspect the deliveries of a webhook')
  attach(
    addOutputOption(
      delivery
        .command('list')
        .argument('<id>', 'Id of the webhook')
        .alias('ls')
        .description('List the last deliveries, newest first')
        .option('--count <number>', 'Number of deliveries (default: all)'),
    ),
    async () => (await load()).listPulumiWebhookDeliveries,
  )
  attach(
    addOutputOption(
      delivery
        .command('redeliver')
        .argument('<id>', 'Id of the webhook')
        .argument('<event-id>', 'Id of the delivery, from `stack webhook delivery list`')
        .description('Send a delivery again, and show the response'),
    ),
    async () => (await load()).redeliverPulumiWebhook,
  )
}
