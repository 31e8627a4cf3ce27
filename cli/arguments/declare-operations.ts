import { type Command, Option } from 'commander'
import type { Attach } from './handler.ts'
import { collectValues } from './flags.ts'
import { addSummaryOption } from './output-option.ts'
import { unsupportedOptions } from './unsupported.ts'

/** Declares `up`, `preview`, `refresh` and `destroy`. */
export function declareOperations(root: Command, attach: Attach): void {
  const up = addExpectNoChangesOption(addOperationOptions(root.command('up').alias('update')))
    .description('Create or update the resources of a stack')
    .option('--continue-on-error', 'Continue with other resources after an error')
  up.option(
    '--plan <file>',
    'Allow only the operations of a plan saved by `preview --save-plan`',
  ).option('--strict', 'Allow only the operations shown in the preview')
  addCreationOption(up)
  addConfirmOptions(
    addProgramRefreshOptions(addDeleteOptions(addPolicyOptions(addShowOptions(up)))),
  )
  addReplaceOptions(addTargetingOptions(up, '--exclude <urn>'))
  attach(up, async () => (await import('../commands/up.ts')).updateStack, unsupportedOptions.up)

  declareWatch(root, attach)

  const preview = addExpectNoChangesOption(
    addOperationOptions(root.command('preview').alias('pre')),
  )
    .description('Preview the changes of the next `up`')
    .addOption(new Option('--show-secrets [boolean]', 'Show secrets in plaintext'))
    .option('--save-plan <file>', 'Save the planned operations to a file for `up --plan`')
    .option('--import-file <file>', 'Save planned creates to a file for `import --file`')
  addCreationOption(preview)
  addProgramRefreshOptions(addDeleteOptions(addPolicyOptions(addShowOptions(preview))))
  addReplaceOptions(addTargetingOptions(preview))
  attach(
    preview,
    async () => (await import('../commands/preview.ts')).preview,
    unsupportedOptions.preview,
  )

  const refresh = addExpectNoChangesOption(addOperationOptions(root.command('refresh')))
    .description('Update the state of a stack to match its actual resources')
    .addOption(
      new Option('--clear-pending-creates', 'Remove pending creates from the state').conflicts(
        'skipPendingCreates',
      ),
    )
    .option('--skip-pending-creates', 'Leave pending creates unchanged (the default)')
    .option(
      '--import-pending-creates <urn,id,...>',
      'Import pending creates with these ids',
      collectValues,
    )
    .option('--preview-only', 'Preview without changing anything')
  addConfirmOptions(addTargetingOptions(refresh)).option(
    '--run-program',
    'Run the program, to read resources with its current providers',
  )
  attach(
    refresh,
    async () => (await import('../commands/refresh.ts')).refresh,
    unsupportedOptions.refresh,
  )

  declareDestroy(root, attach)
}

function declareDestroy(root: Command, attach: Attach): void {
  const destroy = addOperationOptions(root.command('destroy').aliases(['down', 'dn']))
    .description('Delete the resources of a stack')
    .option('--continue-on-error', 'Continue with other resources after an error')
    .option('--preview-only', 'Preview without changing anything')
    .option('--run-program', 'Run the program, for its current providers and delete hooks')
    .option('--remove', 'Also remove the stack and its configuration file')
  addConfirmOptions(addRefreshOptions(addDeleteOptions(addShowConfigOptions(destroy))))
  addTargetOptions(destroy).option(
    '--exclude-protected',
    'Keep protected resources and their dependencies',
  )
  attach(
    destroy,
    async () => (await import('../commands/destroy.ts')).destroy,
    unsupportedOptions.destroy,
  )
}

function declareWatch(root: Command, attach: Attach): void {
  const watch = addOperationOptions(root.command('watch'))
    .description('Deploy a stack, and again whenever files of its program change')
    .option(
      '--path <path>',
      'File or folder to watch (repeatable; default: the project)',
      collectValues,
    )
    .option('--continue-on-error', 'Continue with other resources after an error')
    .option('--show-secrets', 'Show secrets in plaintext')
    .addOption(new Option('-y, --yes', 'No effect: nothing is confirmed').hideHelp())
  addCreationOption(watch)
  addProgramRefreshOptions(addDeleteOptions(addPolicyOptions(addShowOptions(watch))))
  attach(
    watch,
    async () => (await import('../commands/watch.ts')).watchProgram,
    unsupportedOptions.watch,
  )
}

/** Adds --secrets-provider, which has an effect only if the command creates the stack. */
function addCreationOption(command: Command): Command {
  return command.option(
    '--secrets-provider <kind>',
    'Secrets provider, if the command creates the stack (in a terminal)',
  )
}

function addOperationOptions(command: Command): Command {
  const isPreview = command.name() === 'preview'
  const commandWithOptions = addMessageOptions(command)
    .option('-p, --parallel <n>', 'Maximum number of concurrent operations')
    .option('--diff', 'Show the changed properties of each resource')
    .option('-j, --json', 'Print engine events as JSON, one per line (previews: one JSON document)')
    .option(
      '--event-log <file>',
      'Also write the events to a file, or send them to tcp://host:port',
    )
    .option('--show-sames', 'Show unchanged resources')
    .option('--show-replacement-steps', 'Show the separate create and delete steps of replacements')
    .option(
      '-m, --message <text>',
      isPreview ? 'No effect: the history has no previews' : 'Message recorded in the history',
    )
    .option('--suppress-outputs', 'Hide the stack outputs')
    .option(
      '-c, --config <key=value>',
      'Set a configuration value and save it (repeatable)',
      collectValues,
    )
    .option('--config-path', 'Treat the keys of --config as paths')
    .option('--config-file <file>', 'Use this configuration file instead of Pulumi.<stack>.yaml')
    .option(
      '--skip-config-validation',
      'Skip the validation of the configuration against the project',
    )
    .option('--client <address>', 'Connect to a program host that is already running, at host:port')
    .addOption(
      new Option(
        '--attach-debugger [process]',
        'Wait for a debugger in program, plugins, plugin:<name> (from source) or all',
      )
        .preset('program')
        .argParser(collectValues),
    )
  const isEndless = command.name() === 'watch'
  return addExecutionOptions(isEndless ? commandWithOptions : addSummaryOption(commandWithOptions))
}

/**
 * Adds --expect-no-changes. `destroy` does not have this option: the check follows the deletes, so
 * the option could not protect the resources.
 */
function addExpectNoChangesOption(command: Command): Command {
  return command.option('--expect-no-changes', 'Fail if there are any changes')
}

/** Adds --debug and --urns. */
export function addMessageOptions(command: Command): Command {
  return command
    .option('-d, --debug', 'Show debug messages')
    .option('--urns', 'Show URNs instead of resource names')
}

/** Adds --show-config, and a hidden option of Pulumi without an effect here. */
export function addShowConfigOptions(command: Command): Command {
  return command
    .option('--show-config', 'Show the configuration, with secrets hidden')
    .addOption(new Option('--show-full-output [when]').hideHelp())
}

/**
 * Adds options that show the configuration, resources that are only read, and properties that
 * policy packs changed.
 */
function addShowOptions(command: Command): Command {
  return addShowConfigOptions(command)
    .option('--show-reads', 'Show resources that are only read')
    .option('--show-policy-remediations', 'Show each property that a policy pack changed')
}

/**
 * Adds --execute, --function-limit and --wait, and hidden options of Pulumi without an effect here.
 */
export function addExecutionOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--execute <where>',
        'Where operations run: in this process (here) or in `antichain serve` (elsewhere)',
      )
        .choices(['here', 'elsewhere'])
        .default('here'),
    )
    .addOption(createFunctionLimitOption())
    .option('--wait', 'Wait until other deployments of the stack have ended')
    .addOption(new Option('--exec-kind <kind>').hideHelp())
    .addOption(new Option('--exec-agent <agent>').hideHelp())
    .addOption(new Option('--suppress-progress').hideHelp())
    .addOption(new Option('--suppress-permalink [when]').hideHelp())
    .addOption(new Option('--skip-plugin-pre-install').hideHelp())
}

/** Adds the options of `addTargetOptions`, and --exclude-dependents, which `destroy` lacks. */
function addTargetingOptions(command: Command, excludeFlags?: string): Command {
  return addTargetOptions(command, excludeFlags).option(
    '--exclude-dependents',
    'Also exclude the dependents of excluded resources',
  )
}

/** Adds --target, --exclude and --target-dependents. */
function addTargetOptions(command: Command, excludeFlags = '-x, --exclude <urn>'): Command {
  return command
    .option(
      '-t, --target <urn>',
      'Include only this resource (repeatable; wildcards * and **)',
      collectValues,
    )
    .option(excludeFlags, 'Exclude this resource (repeatable; wildcards * and **)', collectValues)
    .option('--target-dependents', 'Also include the dependents of the targets')
}

function addReplaceOptions(command: Command): Command {
  return command
    .option(
      '--replace <urn>',
      'Replace this resource (repeatable; wildcards * and **)',
      collectValues,
    )
    .option(
      '--target-replace <urn>',
      'Shorthand for --target and --replace (repeatable)',
      collectValues,
    )
}

/** Creates the option --function-limit. */
export function createFunctionLimitOption(): Option {
  const description = 'Time limit of each generator and executor, such as 90s or 15m'
  return new Option('--function-limit <time>', description)
}

/** Adds --yes, --skip-preview and --show-secrets. */
function addConfirmOptions(command: Command): Command {
  return command
    .option('-y, --yes', 'Skip the confirmation prompt')
    .option('-f, --skip-preview', 'Skip the preview and the confirmation prompt')
    .option('--show-secrets', 'Show secrets in plaintext')
}

function addPolicyOptions(command: Command): Command {
  return command
    .option(
      '--policy-pack <path>',
      'Check the resources with the policy pack in this folder (repeatable)',
      collectValues,
    )
    .option(
      '--policy-pack-config <file>',
      'JSON configuration file of the policy pack (repeatable)',
      collectValues,
    )
}

function addRefreshOptions(command: Command): Command {
  return command.option(
    '-r, --refresh [boolean]',
    'Refresh the resources first (false: not even if the project requests it)',
  )
}

function addProgramRefreshOptions(command: Command): Command {
  return addRefreshOptions(command).option(
    '--run-program',
    'With --refresh: read resources with the current providers of the program',
  )
}

/** Adds --release, the order of deletes, and --ignore-protect. */
function addDeleteOptions(command: Command): Command {
  return command
    .option(
      '--release <mode>',
      'Delete as soon as dependents are gone (dataflow, the default), or in waves (antichain)',
    )
    .option('--ignore-protect', 'Also delete and replace protected resources')
}
