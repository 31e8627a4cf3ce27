import type { Command } from 'commander'
import { type Attach, declareUnsupportedCommands } from './attach-handler.ts'
import { unsupportedCommands, unsupportedOptions } from './unsupported.ts'

/** Declares `stack` and what is below it. */
export function declareStack(root: Command, attach: Attach): void {
  const stack = root.command('stack').description('make, choose and look at stacks')
  attach(
    stack.option('--show-name', 'print the name only'),
    async () => (await import('../commands/stack-show.ts')).showStack,
  )
  declareLifecycle(stack, attach)
  declareRename(stack, attach)
  declareState(stack, attach)
  declareUnsupportedCommands(stack, unsupportedCommands.stack)
}

function declareLifecycle(stack: Command, attach: Attach): void {
  attach(
    stack
      .command('init [name]')
      .aliases(['new', 'create'])
      .description('make a stack')
      .option('--no-select', 'do not select it')
      .option(
        '--secrets-provider <kind>',
        'how its secrets are kept: passphrase, or awskms://<key>',
      )
      .option('-y, --yes', 'do not ask'),
    async () => (await import('../commands/stack-init.ts')).initStack,
    unsupportedOptions.stackInit,
  )
  attach(
    stack
      .command('ls')
      .alias('list')
      .description('list the stacks of the project')
      .option('-a, --all', 'the stacks of all projects')
      .option('-p, --project <name>', 'the stacks of another project')
      .option('-j, --json', 'as JSON'),
    async () => (await import('../commands/stack-ls.ts')).listStacks,
    unsupportedOptions.stackLs,
  )
  attach(
    stack
      .command('select [name]')
      .description('choose the stack that commands work on')
      .option('-c, --create', 'make it when it does not exist')
      .option(
        '--secrets-provider <kind>',
        'how its secrets are kept: passphrase, or awskms://<key>',
      ),
    async () => (await import('../commands/stack-select.ts')).chooseStack,
  )
  attach(
    stack
      .command('rm [name]')
      .aliases(['remove', 'delete'])
      .description('remove a stack that has no resources')
      .option('-f, --force', 'also when it has resources, which are left behind')
      .option('-y, --yes', 'do not ask')
      .option('--preserve-config', 'keep its configuration file')
      .option('--remove-backups', 'nothing is left: there are no other copies'),
    async () => (await import('../commands/stack-rm.ts')).removeNamedStack,
  )
}

function declareRename(stack: Command, attach: Attach): void {
  attach(
    stack
      .command('rename <name>')
      .description('give a stack another name; it may be in another project'),
    async () => (await import('../commands/stack-rename.ts')).renameNamedStack,
  )
}

function declareState(stack: Command, attach: Attach): void {
  attach(
    stack
      .command('output [name]')
      .description('print the outputs of a stack, or one of them')
      .option('-j, --json', 'as JSON')
      .option('--shell', 'as assignments for a shell')
      .option('--show-secrets', 'show secrets in clear'),
    async () => (await import('../commands/stack-output.ts')).showStackOutput,
  )
  attach(
    stack
      .command('export')
      .description('print the state of a stack')
      .option('--file <file>', 'write it to a file')
      .option('--show-secrets', 'with secrets in clear')
      .option('--version <number>', 'an earlier version')
      .option('--at <moment>', 'as it was at a time, or at <deployment>:<moment> of the history'),
    async () => (await import('../commands/stack-export.ts')).exportStack,
  )
  attach(
    stack
      .command('import')
      .description('replace the state of a stack')
      .option('--file <file>', 'read it from a file instead of standard input')
      .option('-f, --force', 'also when it looks wrong'),
    async () => (await import('../commands/stack-import.ts')).importStack,
  )
  attach(
    stack
      .command('history')
      .alias('hist')
      .description('list the deployments of a stack, newest first')
      .option('-j, --json', 'as JSON')
      .option('--show-secrets', 'has no effect: the history holds none')
      .option('--show <number>', 'one deployment: its moments, and what it settled')
      .option('--page <number>', 'which page')
      .option('--page-size <number>', 'how many a page'),
    async () => (await import('../commands/stack-history.ts')).showStackHistory,
    unsupportedOptions.stackHistory,
  )
  attach(
    stack
      .command('prune')
      .description('remove records and versions that were kept long enough')
      .option('-a, --all', 'of all stacks, and what removed ones left')
      .option('--dry-run', 'only tell what would go')
      .option('-j, --json', 'as JSON'),
    async () => (await import('../commands/stack-prune.ts')).pruneStack,
  )
}
