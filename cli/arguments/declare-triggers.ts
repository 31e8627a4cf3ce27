import { type Command, Option } from 'commander'
import type { Attach } from './attach-handler.ts'

/** Declares `webhook`, `schedule` and `notification`: here, or at the API of a login. */
export function declareTriggers(root: Command, attach: Attach): void {
  const webhook = root.command('webhook').description('what repositories and others may ask for')
  attach(
    webhook
      .command('create <name>')
      .description('make or change a webhook; a new secret is printed once')
      .addOption(
        new Option('--form <form>', 'how it is signed')
          .choices(['github', 'signed'])
          .default('github'),
      )
      .requiredOption(
        '--rules <file>',
        'a YAML or JSON file: a list of rules; see docs/triggers.md',
      )
      .option('--api-url <url>', 'where the API of the repository host is')
      .option('--paused', 'answer nothing for now')
      .addHelpText('after', secretHelpText('ANTICHAIN_CREDENTIAL reads the repository.')),
    async () => (await import('../commands/trigger-create.ts')).createWebhook,
  )
  declareDocumentCommands(webhook, attach, 'webhook')

  const schedule = root.command('schedule').description('what happens to a stack by itself')
  attach(
    schedule
      .command('create <name>')
      .description('make or change a schedule of a stack')
      .requiredOption('--when <expression>', 'cron of five fields, rate(…), or at(…)')
      .addOption(
        new Option('--operation <kind>', 'what is done')
          .choices(['refresh', 'up', 'destroy'])
          .default('refresh'),
      )
      .option('--remediate', 'after a refresh that found a drift, deploy')
      .option('--zone <name>', 'the time zone, such as Europe/Paris')
      .option('--jitter <seconds>', 'move each run by up to so much')
      .option('--paused', 'run nothing for now'),
    async () => (await import('../commands/trigger-create.ts')).createSchedule,
  )
  attach(
    schedule.command('pause <name>').description('run nothing of a schedule for now'),
    async () => (await import('../commands/schedule-pause.ts')).createPauseHandler(true),
  )
  attach(
    schedule.command('resume <name>').description('go on with a schedule that was paused'),
    async () => (await import('../commands/schedule-pause.ts')).createPauseHandler(false),
  )
  declareDocumentCommands(schedule, attach, 'schedule')
  declareNotifications(root, attach)
}

function declareNotifications(root: Command, attach: Attach): void {
  const notification = root.command('notification').description('who is told of deployments')
  attach(
    notification
      .command('create <name>')
      .description('make or change a notification; a new secret is printed once')
      .requiredOption('--url <url>', 'where it is posted')
      .option('--events <list>', 'started, succeeded, failed, drift', 'failed,drift')
      .option('-a, --all', 'of all stacks')
      .option('--paused', 'tell nothing for now')
      .addHelpText('after', secretHelpText('')),
    async () => (await import('../commands/trigger-create.ts')).createNotification,
  )
  attach(
    notification
      .command('dead')
      .description('list what nobody could be told, of all stacks')
      .option('-j, --json', 'as JSON'),
    async () => (await import('../commands/notification-dead.ts')).listDeadNotifications,
  )
  attach(
    notification.command('redrive').description('have all of these sent again'),
    async () => (await import('../commands/notification-dead.ts')).redriveNotifications,
  )
  declareDocumentCommands(notification, attach, 'notification')
}

function secretHelpText(more: string): string {
  return `\nANTICHAIN_SECRET is the secret that deliveries are signed with; without it one is made. ${more}`
}

function declareDocumentCommands(
  parent: Command,
  attach: Attach,
  kind: 'webhook' | 'schedule' | 'notification',
): void {
  const addAllOption = (command: Command): Command =>
    kind === 'notification' ? command.option('-a, --all', 'those of all stacks') : command
  const load = async () =>
    (await import('../commands/trigger-documents.ts')).createTriggerCommands(kind)
  attach(
    addAllOption(parent.command('ls').alias('list').description(`list ${kind}s`)).option(
      '-j, --json',
      'as JSON',
    ),
    async () => (await load()).ls,
  )
  attach(
    addAllOption(parent.command('show <name>').description(`print a ${kind}, without its secrets`)),
    async () => (await load()).show,
  )
  attach(
    addAllOption(parent.command('rm <name>').alias('remove').description(`remove a ${kind}`)),
    async () => (await load()).rm,
  )
}
