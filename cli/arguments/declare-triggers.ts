import { type Command, Option } from 'commander'
import { collectValues } from './flags.ts'
import type { Attach } from './handler.ts'

/** Declares `webhook`, `schedule` and `notification`, for this machine or the API of a login. */
export function declareTriggers(root: Command, attach: Attach): void {
  const webhook = root.command('webhook').description('Manage webhooks that start operations')
  attach(
    webhook
      .command('create')
      .argument('<name>', 'Name of the webhook, new or existing')
      .description('Create or update a webhook')
      .addOption(
        new Option('--form <form>', 'Signature form of the requests')
          .choices(['github', 'gitlab', 'bitbucket', 'bitbucket-server', 'gitea', 'signed'])
          .default('github'),
      )
      .requiredOption(
        '--rules <file>',
        'YAML or JSON file with a list of rules (see docs/triggers.md)',
      )
      .option('--api-url <url>', 'URL of the API of the repository host')
      .option('--paused', 'Pause the webhook')
      .addHelpText(
        'after',
        formatSecretHelp('Set ANTICHAIN_CREDENTIAL to the credential that reads the repository.'),
      ),
    async () => (await import('../commands/trigger-create.ts')).createWebhook,
  )
  declareDocumentCommands(webhook, attach, 'webhook')

  declareSchedules(root, attach)
  declareNotifications(root, attach)
}

/** Declares `schedule`. */
function declareSchedules(root: Command, attach: Attach): void {
  const schedule = root.command('schedule').description('Manage the schedules of a stack')
  attach(
    schedule
      .command('create')
      .argument('<name>', 'Name of the schedule, new or existing')
      .description('Create or update a schedule of a stack')
      .requiredOption('--when <expression>', 'Five cron fields, rate(…) or at(…)')
      .addOption(
        new Option('--operation <kind>', 'Operation to run')
          .choices(['refresh', 'preview', 'up', 'destroy'])
          .default('refresh'),
      )
      .option('--remediate', 'Run `up` after a refresh that found drift')
      .option('--record', 'Record what a refresh reads in the state, instead of reporting drift')
      .option('--remove-stack', 'Remove the stack after a destroy that runs once')
      .option('--zone <name>', 'Time zone, such as Europe/Paris')
      .option('--jitter <seconds>', 'Shift all runs by up to this many seconds')
      .option('-a, --all', 'Detect drift of all stacks, each delayed by its own part of the jitter')
      .addOption(
        new Option('--project <name>', 'With --all: only stacks of this project (repeatable)')
          .argParser(collectValues)
          .default([]),
      )
      .addOption(
        new Option('--tag <name=value>', 'With --all: only stacks with this tag (repeatable)')
          .argParser(collectValues)
          .default([]),
      )
      .option(
        '--skip-read-within <minutes>',
        'With --all: skip stacks whose resources were read in this time',
      )
      .option('--paused', 'Pause the schedule'),
    async () => (await import('../commands/trigger-create.ts')).createSchedule,
  )
  attach(
    schedule
      .command('pause')
      .argument('<name>', 'Name of the schedule')
      .option('-a, --all', 'Use the schedules that apply to several stacks')
      .description('Pause a schedule'),
    async () => (await import('../commands/schedule-pause.ts')).createPauseHandler(true),
  )
  attach(
    schedule
      .command('resume')
      .argument('<name>', 'Name of the schedule')
      .option('-a, --all', 'Use the schedules that apply to several stacks')
      .description('Resume a paused schedule'),
    async () => (await import('../commands/schedule-pause.ts')).createPauseHandler(false),
  )
  declareDocumentCommands(schedule, attach, 'schedule')
}

function declareNotifications(root: Command, attach: Attach): void {
  const notification = root
    .command('notification')
    .description('Manage notifications about deployments')
  attach(
    notification
      .command('create')
      .argument('<name>', 'Name of the notification, new or existing')
      .description('Create or update a notification')
      .requiredOption('--url <url>', 'URL that receives the notifications')
      .option(
        '--events <list>',
        'Events to send: started, succeeded, failed, drift',
        'failed,drift',
      )
      .addOption(
        new Option('--format <format>', "Form of the deliveries; pulumi: that of Pulumi's webhooks")
          .choices(['signed', 'pulumi'])
          .default('signed'),
      )
      .option('-a, --all', 'Notify about all stacks')
      .option('--paused', 'Pause the notification')
      .addHelpText('after', formatSecretHelp('')),
    async () => (await import('../commands/trigger-create.ts')).createNotification,
  )
  attach(
    notification
      .command('dead')
      .description('List undelivered notifications of all stacks')
      .option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/notification-dead.ts')).listDeadNotifications,
  )
  attach(
    notification.command('redrive').description('Send undelivered notifications again'),
    async () => (await import('../commands/notification-dead.ts')).redriveNotifications,
  )
  declareDocumentCommands(notification, attach, 'notification')
}

/** Formats the help about the secret of a webhook or notification, and then `extraSentence`. */
function formatSecretHelp(extraSentence: string): string {
  return `\nSet ANTICHAIN_SECRET to the secret that signs deliveries; otherwise a new one is created and printed once. ${extraSentence}`
}

/** Declares `ls`, `show` and `rm` for webhooks, schedules or notifications. */
function declareDocumentCommands(
  parent: Command,
  attach: Attach,
  kind: 'webhook' | 'schedule' | 'notification',
): void {
  const addAllOption = (command: Command): Command =>
    kind === 'webhook'
      ? command
      : command.option('-a, --all', `Use the ${kind}s that apply to several stacks`)
  const loadCommands = async () =>
    (await import('../commands/trigger-documents.ts')).createTriggerCommands(kind)
  attach(
    addAllOption(parent.command('ls').alias('list').description(`List ${kind}s`)).option(
      '-j, --json',
      'Print JSON',
    ),
    async () => (await loadCommands()).ls,
  )
  attach(
    addAllOption(
      parent
        .command('show')
        .argument('<name>', `Name of the ${kind}`)
        .description(`Show a ${kind} without its secrets`),
    ),
    async () => (await loadCommands()).show,
  )
  attach(
    addAllOption(
      parent
        .command('rm')
        .argument('<name>', `Name of the ${kind}`)
        .alias('remove')
        .description(`Remove a ${kind}`),
    ),
    async () => (await loadCommands()).rm,
  )
}
