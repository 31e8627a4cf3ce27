import { declareApprovalRule } from './declare-approvals.ts'
import { type Command, Option } from 'commander'
import { collectValues } from './flags.ts'
import type { Attach } from './handler.ts'
import { addJsonOptions, addOutputOption } from './output-option.ts'
import { declareStackHistory } from './declare-stack-history.ts'
import { declareStackTriggers } from './declare-stack-triggers.ts'

/** Declares `stack` and its subcommands. */
export function declareStack(root: Command, attach: Attach): void {
  const stack = root.command('stack').description('Manage stacks, or show the current stack')
  const loadShowStack = async () => (await import('../commands/stack-show.ts')).showStack
  attach(withShowOptions(stack), loadShowStack)
  attach(withShowOptions(stack.command('get').description('Show the current stack')), loadShowStack)
  declareLifecycle(stack, attach)
  declareRename(stack, attach)
  declareChangeSecretsProvider(stack, attach)
  declareStateAndHistory(stack, attach)
  declareMigration(stack, attach)
  declareTimeTravel(stack, attach)
  declareGraph(stack, attach)
  declareTags(stack, attach)
  declareApprovalRule(stack, attach)
  declareStackTriggers(stack, attach)
}

function withShowOptions(command: Command): Command {
  return addOutputOption(command)
    .option('--show-name', 'Print only the name of the stack')
    .option('-u, --show-urns', 'Print the URN of each resource')
    .option('-i, --show-ids', 'Print the id of each resource')
    .option('--show-secrets', 'Show secret outputs in plaintext')
}

function declareLifecycle(stack: Command, attach: Attach): void {
  attach(
    stack
      .command('init')
      .argument('[name]', 'Name of the new stack (default: a prompt)')
      .aliases(['new', 'create', 'setup'])
      .description('Create a stack')
      .option('--no-select', 'Do not select the new stack')
      .option(
        '--secrets-provider <kind>',
        'Secrets provider of the stack: passphrase, or the URL of a key',
      )
      .option('--copy-config-from <stack>', 'Copy the configuration of another stack')
      .addOption(
        new Option('--teams <team>', 'Not available: teams belong to a service')
          .argParser(collectValues)
          .hideHelp(),
      )
      .addOption(new Option('--remote-config', 'Not available: configuration is a file').hideHelp())
      .option('-y, --yes', 'Skip the confirmation prompt'),
    async () => (await import('../commands/stack-init.ts')).initStack,
  )
  attach(
    addJsonOptions(
      stack
        .command('ls')
        .alias('list')
        .description('List the stacks of the project')
        .option('-a, --all', 'List the stacks of all projects')
        .option('-p, --project <name>', 'List the stacks of another project')
        .option(
          '-o, --organization <name>',
          'List the stacks of an organization (all belong to `organization`)',
        )
        .option('-t, --tag <name>', 'List the stacks with a tag: <name>, or <name>=<value>'),
    ),
    async () => (await import('../commands/stack-ls.ts')).listStacks,
  )
  attach(
    stack
      .command('select')
      .argument('[name]', 'Name of the stack (default: a prompt)')
      .description('Select the stack that commands use by default')
      .option('-c, --create', 'Create the stack if it does not exist')
      .option(
        '--secrets-provider <kind>',
        'Secrets provider of a new stack: passphrase, or the URL of a key',
      ),
    async () => (await import('../commands/stack-select.ts')).chooseStack,
  )
  attach(
    stack.command('unselect').description('Clear the selected stack of the project'),
    async () => (await import('../commands/stack-unselect.ts')).unselectStack,
  )
  attach(
    stack
      .command('rm')
      .argument('[name]', 'Name of the stack (default: the selected stack)')
      .aliases(['remove', 'delete'])
      .description('Remove a stack and its configuration file')
      .option('-f, --force', 'Remove the stack even if it has resources, which are left behind')
      .option('-y, --yes', 'Skip the confirmation prompt')
      .option('--preserve-config', 'Keep the configuration file')
      .option('--remove-backups', 'No effect: there are no backups'),
    async () => (await import('../commands/stack-rm.ts')).removeNamedStack,
  )
}

function declareRename(stack: Command, attach: Attach): void {
  attach(
    stack
      .command('rename')
      .argument('<name>', 'New name of the stack, or <project>/<name>')
      .description('Rename a stack, or move it to another project'),
    async () => (await import('../commands/stack-rename.ts')).renameCurrentStack,
  )
}

function declareChangeSecretsProvider(stack: Command, attach: Attach): void {
  attach(
    stack
      .command('change-secrets-provider')
      .argument('<provider>', 'The new provider: passphrase, default, or the URL of a key')
      .description('Encrypt the secrets of a stack with another provider'),
    async () =>
      (await import('../commands/stack-change-secrets-provider.ts')).changeStackSecretsProvider,
  )
}

/** Declares the commands that print or replace the state of a stack, or show its history. */
function declareStateAndHistory(stack: Command, attach: Attach): void {
  attach(
    stack
      .command('output')
      .argument('[name]', 'Name of the output (default: all outputs)')
      .description('Print the outputs of a stack, or one output')
      .option('-j, --json', 'Print JSON')
      .option('--shell', 'Print assignments for a shell')
      .option('--show-secrets', 'Show secrets in plaintext'),
    async () => (await import('../commands/stack-output.ts')).showStackOutput,
  )
  attach(
    stack
      .command('export')
      .description('Export the state of a stack')
      .option('--file <file>', 'Write the state to a file instead of standard output')
      .option('--show-secrets', 'Include secrets in plaintext')
      .option('--version <number>', 'Export an earlier version')
      .option(
        '--at <point>',
        'Export the state at a point in time: a time, or a moment such as 4:17',
      ),
    async () => (await import('../commands/stack-export.ts')).exportStack,
  )
  attach(
    stack
      .command('import')
      .description(
        'Replace the state of a stack with an exported state, or copy stacks of a backend',
      )
      .option('--file <file>', 'Read the state from a file instead of standard input')
      .option(
        '--from <backend>',
        'Copy all stacks of a self-managed backend, or that of <backend>/<project>/<stack>',
      )
      .option('-y, --yes', 'Skip the confirmation prompt of --from')
      .option('-f, --force', 'Import the state despite failed checks'),
    async () => (await import('../commands/stack-import.ts')).importStack,
  )
  declareStackHistory(stack, attach)
  attach(
    stack
      .command('prune')
      .description('Remove old records and versions')
      .option('-a, --all', 'Prune all stacks, including removed ones')
      .option('--dry-run', 'Preview without removing anything')
      .option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/stack-prune.ts')).pruneStack,
  )
}

/** Declares the commands that compare earlier states, or return to one. */
function declareTimeTravel(stack: Command, attach: Attach): void {
  attach(
    stack
      .command('diff')
      .argument('[from]', 'Version, moment or time (default: the version before the current one)')
      .argument('[to]', 'Version, moment or time (default: the current state)')
      .description('Compare two states of a stack')
      .option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/stack-diff.ts')).diffStack,
  )
  attach(
    stack
      .command('rollback')
      .description('Publish the state of an earlier version as the next version')
      .option('--to <version>', 'The version to return to')
      .option('-y, --yes', 'Skip the confirmation prompt'),
    async () => (await import('../commands/stack-rollback.ts')).rollBackStack,
  )
}

function declareMigration(stack: Command, attach: Attach): void {
  attach(
    stack
      .command('migrate')
      .argument('<url>', 'URL of the backend, such as s3://acme-state')
      .argument(
        '[stack]',
        'Name of the stack in the backend (default: that of the URL, or a prompt)',
      )
      .description('Copy a stack of a self-managed backend to the store or backend in use')
      .option('--target <name>', 'Name of the new stack: <stack>, or with its project')
      .option(
        '--secrets-provider <kind>',
        'Secrets provider of the new stack (default: that of the source)',
      )
      .option('-f, --force', 'Copy the state despite failed checks')
      .option('-y, --yes', 'Skip the confirmation prompt'),
    async () => (await import('../commands/stack-migrate.ts')).migrateStack,
  )
}

function declareGraph(stack: Command, attach: Attach): void {
  attach(
    stack
      .command('graph')
      .argument('<file>', 'Path of the file to write')
      .description('Write the dependency graph of a stack to a file, in the format DOT')
      .option('--ignore-parent-edges', 'Leave out edges between children and parents')
      .option('--ignore-dependency-edges', 'Leave out edges between dependencies and dependents')
      .option('--dependency-edge-color <color>', 'Color of dependency edges', '#246C60')
      .option('--parent-edge-color <color>', 'Color of parent edges', '#AA6639')
      .option('--short-node-name', 'Label nodes with names instead of URNs')
      .option('--dot-fragment <text>', 'A text in DOT for the beginning of the graph'),
    async () => (await import('../commands/stack-graph.ts')).writeStackGraph,
  )
}

function declareTags(stack: Command, attach: Attach): void {
  const tag = stack.command('tag').description('Manage the tags of a stack')
  attach(
    addJsonOptions(tag.command('ls').alias('list').description('List the tags')),
    async () => (await import('../commands/stack-tag.ts')).listStackTags,
  )
  attach(
    tag.command('get').argument('<name>', 'Name of the tag').description('Print a tag'),
    async () => (await import('../commands/stack-tag.ts')).printStackTag,
  )
  attach(
    tag
      .command('set')
      .argument('<name>', 'Name of the tag')
      .argument('<value>', 'Value of the tag')
      .description('Set a tag'),
    async () => (await import('../commands/stack-tag.ts')).setStackTag,
  )
  attach(
    tag
      .command('rm')
      .argument('<name>', 'Name of the tag')
      .aliases(['remove', 'delete'])
      .description('Remove a tag'),
    async () => (await import('../commands/stack-tag.ts')).removeStackTag,
  )
}
