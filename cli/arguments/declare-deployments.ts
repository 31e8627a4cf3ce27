import { type Command, Option } from 'commander'
import { declareApprovals } from './declare-approvals.ts'
import { addMessageOptions, createFunctionLimitOption } from './declare-operations.ts'
import { type Attach, declareUnsupportedCommands } from './handler.ts'
import { unsupportedCommands } from './unsupported.ts'

/** Declares `resume`, `serve`, `cancel`, `redrive` and `deployment`. */
export function declareDeployments(root: Command, attach: Attach): void {
  const resume = root
    .command('resume')
    .description('Resume the interrupted deployment of a stack')
    .option('--deployment <number>', 'Number of the deployment, if several are open')
    .option('-y, --yes', 'Skip the confirmation prompt')
    .option('--diff', 'Show the changed properties of each resource')
    .option('-j, --json', 'Print engine events as JSON, one per line')
    .option('--suppress-outputs', 'Hide the stack outputs')
    .option('--show-secrets', 'Show secrets in plaintext')
    .option('--config-file <file>', 'Use this configuration file instead of Pulumi.<stack>.yaml')
    .addOption(createFunctionLimitOption())
  addMessageOptions(resume)
  attach(resume, async () => (await import('../commands/resume.ts')).resume)

  const serve = root
    .command('serve')
    .description('Start a server that resumes deployments, runs schedules and serves the API')
    .option('--port <number>', 'Serve the API on this port (0: any free port)')
    .option('--host <address>', 'Listen on this address instead of loopback')
    .option('--public-url <url>', 'Public URL of the dashboard, for links in commit statuses')
    .addOption(
      new Option(
        '--only <role>',
        'Only resume deployments and run schedules (generator), or only run operations (executor)',
      ).choices(['generator', 'executor']),
    )
    .addOption(createFunctionLimitOption())
  attach(serve, async () => (await import('../commands/serve.ts')).serveEngine)

  const cancel = root
    .command('cancel')
    .description('Cancel the running or interrupted deployment of a stack')
    .argument('[stack]', 'Name of the stack (default: the selected stack)')
    .option('--deployment <number>', 'Number of the deployment, if several are open')
    .option('--force', 'Abandon running operations instead of waiting for them')
    .option('-y, --yes', 'Skip the confirmation prompt')
  attach(cancel, async () => (await import('../commands/cancel.ts')).cancelDeployment)

  const redrive = root
    .command('redrive')
    .description('Retry operations of a running deployment that no executor could complete')
    .argument('[stack]', 'Name of the stack (default: the selected stack)')
  attach(redrive, async () => (await import('../commands/redrive.ts')).redriveStack)

  const deployment = root
    .command('deployment')
    .description('Examine past deployments, and approve plans')
  attach(
    deployment
      .command('show')
      .argument('[number]', 'Number of the deployment (default: the last one)')
      .description('Show the critical path of a deployment, and where its time went')
      .option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/deployment-show.ts')).showDeploymentCourse,
  )
  attach(
    deployment
      .command('cost')
      .argument('[number]', 'Number of the deployment (default: the last one)')
      .description('Show the counted usage of AWS by a deployment, and its cost')
      .option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/deployment-cost.ts')).showDeploymentCost,
  )
  declareApprovals(deployment, attach)
  declareUnsupportedCommands(deployment, unsupportedCommands.deployment)
}
