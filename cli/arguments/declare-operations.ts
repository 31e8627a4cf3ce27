import { type Command, Option } from 'commander'
import type { Attach } from './attach-handler.ts'
import { collect } from './flags.ts'
import { unsupportedOptions } from './unsupported.ts'

/** Declares `up`, `preview`, `refresh` and `destroy`. */
export function declareOperations(root: Command, attach: Attach): void {
  const up = addExpectationOptions(addOperationOptions(root.command('up').alias('update')))
    .description('make the resources of a stack what its program says')
    .option('--continue-on-error', 'go on with other resources after an error')
  up.option('--plan <file>', 'do no more than what a plan of `preview --save-plan` has').option(
    '--strict',
    'do no more than what the preview has shown',
  )
  addConfirmOptions(
    addProgramRefreshOptions(addReleaseOptions(addPolicyOptions(addShowOptions(up)))),
  )
  addReplaceOptions(addTargetingOptions(up, '--exclude <urn>'))
  attach(up, async () => (await import('../commands/up.ts')).updateStack, unsupportedOptions.up)

  const preview = addExpectationOptions(addOperationOptions(root.command('preview').alias('pre')))
    .description('show what `up` would do')
    .addOption(new Option('--show-secrets [when]', 'show secrets in clear'))
    .option('--save-plan <file>', 'write what would be done to a plan for `up --plan`')
    .option('--import-file <file>', 'write what would be created to a file for `import --file`')
  addProgramRefreshOptions(addReleaseOptions(addPolicyOptions(addShowOptions(preview))))
  addReplaceOptions(addTargetingOptions(preview))
  attach(
    preview,
    async () => (await import('../commands/preview.ts')).preview,
    unsupportedOptions.preview,
  )

  const refresh = addExpectationOptions(addOperationOptions(root.command('refresh')))
    .description('read the resources of a stack and record what changed outside')
    .addOption(
      new Option('--clear-pending-creates', 'forget creates whose end nobody knows').conflicts(
        'skipPendingCreates',
      ),
    )
    .option('--skip-pending-creates', 'leave them as they are, as is done without it too')
    .option(
      '--import-pending-creates <urn,id,...>',
      'say under which ids interrupted creates exist',
      collect,
    )
    .option('--preview-only', 'show what would be recorded, record nothing')
  addConfirmOptions(addTargetingOptions(refresh)).option(
    '--run-program',
    'run the program too: read its resources by the providers that it has now',
  )
  attach(
    refresh,
    async () => (await import('../commands/refresh.ts')).refresh,
    unsupportedOptions.refresh,
  )

  const destroy = addOperationOptions(root.command('destroy').aliases(['down', 'dn']))
    .description('delete the resources of a stack')
    .option('--continue-on-error', 'go on with other resources after an error')
    .option('--preview-only', 'show what would be deleted, delete nothing')
    .option('--run-program', 'run the program too: for its providers, and for hooks of what goes')
    .option('--remove', 'remove the stack and its configuration file afterwards')
  addConfirmOptions(addRefreshOptions(addReleaseOptions(addConfigOptions(destroy))))
  addTargetOptions(destroy).option(
    '--exclude-protected',
    'leave protected resources, and what they stand on',
  )
  attach(
    destroy,
    async () => (await import('../commands/destroy.ts')).destroy,
    unsupportedOptions.destroy,
  )
}

/**
 * Declares what is done about deployments that run or were left: `resume`, `cancel`, `redrive` …
 */
export function declareDeployments(root: Command, attach: Attach): void {
  const resume = root
    .command('resume')
    .description('go on with the deployment of a stack whose process died')
    .option('-y, --yes', 'do not ask')
    .option('--diff', 'show each change of each property')
    .option('-j, --json', 'print the events of the engine, one JSON object a line')
    .option('--suppress-outputs', 'do not show the outputs of the stack')
    .option('--show-secrets', 'show secrets in clear')
    .option('--config-file <file>', 'the configuration file, instead of the one of the stack')
    .addOption(createFunctionLimitOption())
  addMessageOptions(resume)
  attach(resume, async () => (await import('../commands/resume.ts')).resume)

  const serve = root
    .command('serve')
    .description('go on with interrupted deployments by itself, and run what is left to it')
    .option('--port <number>', 'serve the API there; 0 takes a free one')
    .option('--host <address>', 'let the API listen there instead of on loopback only')
    .addOption(
      new Option('--only <role>', 'serve as one of both').choices(['generator', 'executor']),
    )
    .addOption(createFunctionLimitOption())
  attach(serve, async () => (await import('../commands/serve.ts')).serveEngine)

  const cancel = root
    .command('cancel')
    .description('end the deployment of a stack, a running one or one whose process died')
    .argument('[stack]', 'the stack, instead of the selected one')
    .option('--force', 'abandon what runs instead of awaiting it')
    .option('-y, --yes', 'do not ask')
  attach(cancel, async () => (await import('../commands/cancel.ts')).cancelDeployment)

  const redrive = root
    .command('redrive')
    .description('try again what the queue has given up of a deployment under way')
    .argument('[stack]', 'the stack, instead of the selected one')
  attach(redrive, async () => (await import('../commands/redrive.ts')).redriveStack)
}

function addOperationOptions(command: Command): Command {
  const explained = addMessageOptions(command)
    .option('-p, --parallel <n>', 'how many operations run at once')
    .option('--diff', 'show each change of each property')
    .option('-j, --json', 'print JSON: events, one a line; of a preview one document at the end')
    .option('--event-log <file>', 'write the events there too; or send them to tcp://host:port')
    .option('--show-sames', 'show resources that stay as they are too')
    .option('--show-replacement-steps', 'show the creates and deletes of replacements too')
    .option('-m, --message <text>', 'a note for the history')
    .option('--suppress-outputs', 'do not show the outputs of the stack')
    .option('-c, --config <key=value>', 'set a configuration value and keep it', collect)
    .option('--config-path', 'the keys of --config are paths')
    .option('--config-file <file>', 'the configuration file, instead of the one of the stack')
    .option('--skip-config-validation', 'do not check the configuration against the project')
    .option('--client <address>', 'the host of a program that runs already: `host:port`')
    .addOption(
      new Option(
        '--attach-debugger [what]',
        'let it wait for a debugger: program, plugins, plugin:<name> (from source) or all',
      )
        .preset('program')
        .argParser(collect),
    )
  return addExecutionOptions(explained)
}

/** Not of `destroy`: who takes it for a guard must not lose the stack. */
function addExpectationOptions(command: Command): Command {
  return command.option('--expect-no-changes', 'fail when there is any change')
}

/** Options of what is told of each resource. */
export function addMessageOptions(command: Command): Command {
  return command
    .option('-d, --debug', 'show messages for debugging too')
    .option('--urns', 'show the URNs of resources, not their names')
}

/** Options that show what the program was given. */
export function addConfigOptions(command: Command): Command {
  return command
    .option('--show-config', 'show the configuration, secrets in brackets')
    .addOption(new Option('--show-full-output [when]').hideHelp())
}

/** Options that show what is not managed here, and what policies did. */
function addShowOptions(command: Command): Command {
  return addConfigOptions(command)
    .option('--show-reads', 'show resources that are only read too')
    .option('--show-policy-remediations', 'show each change that a policy pack has made')
}

/** Declares who runs the operations and for how long, and what is taken without effect. */
export function addExecutionOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--execute <where>', 'who runs the operations: this process, or `antichain serve`')
        .choices(['here', 'elsewhere'])
        .default('here'),
    )
    .addOption(createFunctionLimitOption())
    .option('--wait', 'wait while another deployment of the stack runs')
    .addOption(new Option('--exec-kind <kind>').hideHelp())
    .addOption(new Option('--exec-agent <agent>').hideHelp())
    .addOption(new Option('--suppress-progress').hideHelp())
    .addOption(new Option('--suppress-permalink [when]').hideHelp())
    .addOption(new Option('--skip-plugin-pre-install').hideHelp())
}

/** Options that say what a command is about. */
function addTargetingOptions(command: Command, exclude?: string): Command {
  return addTargetOptions(command, exclude).option(
    '--exclude-dependents',
    'leave out what depends on what is left out, too',
  )
}

function addTargetOptions(command: Command, exclude = '-x, --exclude <urn>'): Command {
  return command
    .option(
      '-t, --target <urn>',
      'only this resource; again for more; * and ** match many',
      collect,
    )
    .option(exclude, 'all but this resource; again for more; * and ** match many', collect)
    .option('--target-dependents', 'take along what depends on a target')
}

function addReplaceOptions(command: Command): Command {
  return command
    .option(
      '--replace <urn>',
      'replace this resource; again for more; * and ** match many',
      collect,
    )
    .option('--target-replace <urn>', '--target and --replace in one', collect)
}

/** Declares --function-limit. */
function createFunctionLimitOption(): Option {
  const description =
    'let no generator or executor last longer, as on platforms with time limits: 90s, 15m'
  return new Option('--function-limit <time>', description)
}

function addConfirmOptions(command: Command): Command {
  return command
    .option('-y, --yes', 'do not ask')
    .option('-f, --skip-preview', 'do it without a preview')
    .option('--show-secrets', 'show secrets in clear')
}

function addPolicyOptions(command: Command): Command {
  return command
    .option('--policy-pack <path>', 'let the policies of a folder judge the resources', collect)
    .option('--policy-pack-config <file>', 'settings of its policies, a JSON file', collect)
}

function addRefreshOptions(command: Command): Command {
  return command.option('-r, --refresh [when]', 'read the resources first: true or false')
}

function addProgramRefreshOptions(command: Command): Command {
  return addRefreshOptions(command).option(
    '--run-program',
    'with --refresh: read resources by the providers that the program has now',
  )
}

function addReleaseOptions(command: Command): Command {
  return command
    .option(
      '--release <mode>',
      'begin a delete once its dependents are gone (dataflow), or wave by wave (antichain)',
    )
    .option('--ignore-protect', 'delete and replace protected resources, too')
}
