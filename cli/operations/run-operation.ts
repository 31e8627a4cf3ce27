import { parseDeploymentOption } from '../arguments/parse-number-argument.ts'
import type { DeployInput } from '../../shared/engine/request.ts'
import { createError } from '../../shared/errors/error.ts'
import type { Command } from '../../shared/records/log.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import type { Flags } from '../arguments/flags.ts'
import { isJsonOutput } from '../arguments/output-option.ts'
import { expectedMsOf } from '../display/time-left.ts'
import { createDisplayOptions } from './display-options.ts'
import { refuseFlagsWithPreviewOnly } from './operation-options.ts'
import { readConfirmationSteps } from './read-confirmation-steps.ts'
import { buildRequest } from './operation-request.ts'
import { prepareRemoteResume, prepareRemoteStart } from '../remote/remote-operation.ts'
import { withUpdatePlan, readUpdatePlanFile, saveImportFile, saveUpdatePlan } from './plan-file.ts'
import { createHistoryEstimate } from './history-estimate.ts'
import { runWithDisplay, type OperationRunOptions, type RunReport } from './run-with-display.ts'
import { readTargeting } from './targeting.ts'
import { findStackPage } from '../remote/dashboard-address.ts'
import { confirmOperation } from './confirm-operation.ts'
import { createOperationError } from './operation-error.ts'
import type { PreparedResume, PreparedOperation } from './prepared-operation.ts'
import type { CliSession } from '../session/session.ts'
import type { DisplayOptions } from '../session/tools.ts'

/** The parameters that differ between `up`, `refresh`, `destroy`, `import` and their previews. */
export interface OperationParameters {
  readonly command: Command
  /** Whether to preview without changing anything. */
  readonly previewOnly: boolean
  /** Absent: the request is built from the flags. */
  readonly request?: DeployInput
}

/**
 * Runs an operation: preview, confirmation, deployment. Returns 0. Throws DEPLOYMENT_FAILED,
 * DEPLOYMENT_CANCELLED, CHANGES_UNEXPECTED, CONFIRMATION_DECLINED, CLI_USAGE, and the errors of
 * `buildRequest`.
 */
export async function runOperation(
  session: CliSession,
  flags: Flags,
  parameters: OperationParameters,
): Promise<number> {
  const { command, previewOnly } = parameters
  if (previewOnly) refuseFlagsWithPreviewOnly(flags)
  const steps = previewOnly
    ? { mustPreview: true, mustConfirm: false }
    : readConfirmationSteps(session, flags)
  // The preparation saves `--config` values, so a refusal must precede it.
  if (flags.isSet('strict') && !steps.mustPreview)
    throw createError('CLI_USAGE', '--strict requires a preview: omit --skip-preview and --json')
  const preparedOperation = await prepareOperation(session, flags, parameters)
  const { stack, refreshesFirst } = preparedOperation
  const displayOptions = await withDashboard(
    session,
    createDisplayOptions(session, flags, { kind: command, stack, refreshesFirst }),
    stack,
  )
  let runOptions: OperationRunOptions = displayOptions
  if (steps.mustPreview) {
    const previewOptions = { ...displayOptions, dryRun: true }
    const preview = await runWithDisplay(session, preparedOperation, previewOptions)
    checkResult(session, flags, preview, { isPreview: true, checksChanges: previewOnly })
    const { updatePlan, forecast } = preview.result
    if (previewOnly) {
      saveUpdatePlan(session, flags, updatePlan)
      saveImportFile(session, flags, preview)
      return 0
    }
    if (steps.mustConfirm)
      await confirmOperation(session, preview, { ...previewOptions, diff: true })
    const expectedMs = expectedMsOf(forecast)
    runOptions = {
      ...displayOptions,
      readExpectedMs: () => expectedMs,
      ...(flags.isSet('strict') && updatePlan !== undefined ? { updatePlan } : {}),
    }
  } else if (readTargeting(flags) === undefined)
    runOptions = await withHistoryEstimate(session, displayOptions, { stack, command })
  const report = await runWithDisplay(session, preparedOperation, runOptions)
  checkResult(session, flags, report, { isPreview: false, checksChanges: true })
  return 0
}

/** Returns the options with the page of the stack, if a terminal can show it as a hyperlink. */
async function withDashboard(
  session: CliSession,
  options: DisplayOptions,
  stack: StackId,
): Promise<DisplayOptions> {
  const showsLinks = options.interactive && options.color && options.stdout.isTTY === true
  if (!showsLinks) return options
  const { remote } = await session.openEngine()
  return remote === undefined
    ? options
    : { ...options, dashboard: await findStackPage(session.home, stack) }
}

/** Returns the options with an estimate from the stack's history, if the display shows it. */
async function withHistoryEstimate(
  session: CliSession,
  options: DisplayOptions,
  { stack, command }: { readonly stack: StackId; readonly command: Command },
): Promise<OperationRunOptions> {
  if (options.json) return options
  const { platform } = await session.openEngine()
  return { ...options, ...createHistoryEstimate(platform.catalog, stack, command) }
}

/** Prepares the start of an operation, on this machine or through an API. */
async function prepareOperation(
  session: CliSession,
  flags: Flags,
  { command, previewOnly, request: presetRequest }: OperationParameters,
): Promise<PreparedOperation> {
  const engine = await session.openEngine()
  if (engine.remote !== undefined)
    return prepareRemoteStart(session, flags, presetRequest?.options ?? { command })
  if (!previewOnly) engine.startConnecting()
  const requestWithoutPlan = presetRequest ?? (await buildRequest(session, flags, command))
  const request = withUpdatePlan(requestWithoutPlan, readUpdatePlanFile(session, flags))
  const mustDraftPlan = flags.text('savePlan') !== undefined || flags.isSet('strict')
  const start: PreparedOperation['start'] = (dryRun, sink, updatePlan) =>
    engine.deploy(
      { ...withUpdatePlan(request, updatePlan), dryRun, draftsUpdatePlan: dryRun && mustDraftPlan },
      sink,
    )
  return { stack: request.stack, refreshesFirst: request.options.refresh, start }
}

/**
 * Resumes the deployment that --deployment names, or else the oldest interrupted one of the stack,
 * with its original options, and waits for its end. A serving process leaves the deployment to
 * another process when `handOverSignal` aborts. With a login, the server of the API resumes the
 * deployment, and this process follows the events. Returns 0. Throws NOTHING_TO_RESUME,
 * RESUME_DIFFERS, STACK_BUSY, and the errors of a deployment.
 */
export async function runResume(
  session: CliSession,
  flags: Flags,
  handOverSignal?: AbortSignal,
): Promise<number> {
  const stack = await session.requireStack()
  const wantedNumber = parseDeploymentOption(flags.text('deployment'))
  const engine = await session.openEngine()
  const { command, number, isComparable, start } =
    engine.remote === undefined
      ? await prepareLocalResume(session, flags, { stack, wantedNumber, handOverSignal })
      : await prepareRemoteResume(flags, engine, { stack, wantedNumber })
  session.printToStderr(
    `Resuming deployment ${number} of '${stackPartsOf(stack).stack}' (${command}).`,
  )
  const displayOptions = createDisplayOptions(session, flags, { kind: command, stack })
  const runOptions = isComparable
    ? await withHistoryEstimate(session, displayOptions, { stack, command })
    : displayOptions
  const report = await runWithDisplay(session, { stack, start, handOverSignal }, runOptions)
  const isHandedOver = handOverSignal?.aborted === true && report.result.result === 'interrupted'
  if (!isHandedOver) checkResult(session, flags, report, { isPreview: false, checksChanges: false })
  return 0
}

async function prepareLocalResume(
  session: CliSession,
  flags: Flags,
  {
    stack,
    wantedNumber,
    handOverSignal,
  }: {
    readonly stack: StackId
    readonly wantedNumber: number | undefined
    readonly handOverSignal: AbortSignal | undefined
  },
): Promise<PreparedResume> {
  const engine = await session.openEngine()
  const { deployment, options, number } = await engine.findInterrupted(stack, wantedNumber)
  const { command } = options
  engine.startConnecting()
  const builtRequest = await buildRequest(session, flags, command)
  const request: DeployInput = {
    ...builtRequest,
    options,
    resume: true,
    resumedDeployment: deployment,
    ...(handOverSignal === undefined ? {} : { handOverSignal }),
  }
  return {
    command,
    number,
    isComparable: options.targeting === undefined,
    start: (_dryRun, sink) => engine.deploy(request, sink),
  }
}

function checkResult(
  session: CliSession,
  flags: Flags,
  report: RunReport,
  expectation: { readonly isPreview: boolean; readonly checksChanges: boolean },
): void {
  const operation = expectation.isPreview ? 'preview' : 'deployment'
  const { result, hasChanges } = report.result
  if (result === 'cancelled' || (result === 'interrupted' && report.isInterruptedByUser))
    throw createError('DEPLOYMENT_CANCELLED', `the ${operation} was cancelled`)
  if (result !== 'succeeded') {
    const { facts, result: end } = report
    const isBelowDisplay = session.io.stdout.isTTY === true && !isJsonOutput(flags)
    throw createOperationError({ facts, result: end, operation, isBelowDisplay })
  }
  if (expectation.checksChanges && hasChanges && flags.isSet('expectNoChanges'))
    throw createError(
      'CHANGES_UNEXPECTED',
      `no changes were expected, but the ${operation} has changes`,
    )
}
