import { isTruthy } from '../shared/config/truthy.ts'
import type {
  DiagnosticEvent,
  EngineEventPayload,
  EventSink,
  ToldPlugin,
} from '../shared/engine/events/event.ts'
import type { PolicyEvent } from '../shared/engine/events/policy-events.ts'
import type { DeployRequest, DeployResult } from '../shared/engine/request.ts'
import { error } from '../shared/errors/error.ts'
import type { Command } from '../shared/records/log.ts'
import type { Urn } from '../shared/names/urn.ts'
import { type StackId, stackPartsOf } from '../shared/records/ids.ts'
import type { Flags } from './flags.ts'
import { checkPreviewOnly, consentOf } from './operation-options.ts'
import { requestOf } from './operation-request.ts'
import { remoteResuming, remoteStarting } from './remote/remote-operation.ts'
import { heldTo, planText, saveImportFile, savePlan } from './plan-file.ts'
import { loggedDisplay } from './event-log.ts'
import type { Resuming, Starting } from './starting.ts'
import type { Session } from './session.ts'
import type { DisplayOptions } from './tools.ts'

/** What `up`, `refresh` and `destroy` and their previews have in common. */
export interface OperationKind {
  readonly command: Command
  /** Show what would happen, do nothing. */
  readonly previewOnly: boolean
  /** Absent: what the flags amount to. */
  readonly request?: DeployRequest
}

/**
 * Runs an operation: preview, question, deployment. Answers 0. Throws DEPLOYMENT_FAILED,
 * DEPLOYMENT_CANCELLED, CHANGES_UNEXPECTED, CONFIRMATION_DECLINED and what `requestOf` throws.
 */
export async function runOperation(
  session: Session,
  flags: Flags,
  kind: OperationKind,
): Promise<number> {
  if (kind.previewOnly) checkPreviewOnly(flags)
  const consent = kind.previewOnly ? { preview: true, ask: false } : consentOf(session, flags)
  const starting = await startingOf(session, flags, kind)
  const shown = displayOptions(session, flags, { kind: kind.command, stack: starting.stack })
  if (flags.is('strict') && !consent.preview)
    throw error('CLI_USAGE', '--strict holds the update to its preview: it cannot be skipped')
  let plan: string | undefined
  if (consent.preview) {
    const preview = await runOnce(session, starting, { ...shown, dryRun: true })
    plan = preview.result.plan
    check(preview, flags, { isPreview: true, expectNone: kind.previewOnly })
    if (kind.previewOnly) {
      savePlan(session, flags, preview.result.plan)
      saveImportFile(session, flags, preview)
      return 0
    }
    if (consent.ask) await askToGoOn(session, preview, { ...shown, dryRun: true, diff: true })
  }
  const held = flags.is('strict') && plan !== undefined ? { ...shown, plan } : shown
  const run = await runOnce(session, starting, held)
  check(run, flags, { isPreview: false, expectNone: true })
  return 0
}

/** What is to be run, here or by an API. */
async function startingOf(
  session: Session,
  flags: Flags,
  { command, request: asked }: OperationKind,
): Promise<Starting> {
  const local = await session.local()
  if (asked === undefined && local.remote !== undefined)
    return remoteStarting(session, flags, command)
  const wanted = asked ?? (await requestOf(session, flags, command))
  const request = heldTo(wanted, planText(session, flags))
  const drawsPlan = flags.text('savePlan') !== undefined || flags.is('strict')
  const start: Starting['start'] = (dryRun, sink, plan) =>
    local.deploy({ ...heldTo(request, plan), dryRun, drawsPlan: dryRun && drawsPlan }, sink)
  return { stack: request.stack, start }
}

/**
 * Goes on with the deployment that the stack was left with, as it was asked for then, until it has
 * ended or, for a process that serves, `leave` aborts: then it is another's. Under a login whoever
 * serves the API does so, and is watched. Answers 0.
 * Throws NOTHING_TO_RESUME, RESUME_DIFFERS, STACK_BUSY and what a deployment throws.
 */
export async function runResume(
  session: Session,
  flags: Flags,
  leave?: AbortSignal,
): Promise<number> {
  const stack = await session.existingStack()
  const local = await session.local()
  const { command, number, start } =
    local.remote === undefined
      ? await resumingHere(session, flags, { stack, leave })
      : await remoteResuming(flags, local, stack)
  session.warn(`Resuming deployment ${number} of '${stackPartsOf(stack).stack}' (${command}).`)
  const shown = displayOptions(session, flags, { kind: command, stack })
  const run = await runOnce(session, { stack, start, leave }, shown)
  const isLeft = leave?.aborted === true && run.result.result === 'interrupted'
  if (!isLeft) check(run, flags, { isPreview: false, expectNone: false })
  return 0
}

async function resumingHere(
  session: Session,
  flags: Flags,
  { stack, leave }: { readonly stack: StackId; readonly leave: AbortSignal | undefined },
): Promise<Resuming> {
  const local = await session.local()
  const { options, number } = await local.interrupted(stack)
  const { command } = options
  const asked = await requestOf(session, flags, command)
  const request: DeployRequest = {
    ...asked,
    options,
    resume: true,
    ...(leave === undefined ? {} : { leave }),
  }
  return { command, number, start: (_dryRun, sink) => local.deploy(request, sink) }
}

interface Run {
  readonly result: DeployResult
  readonly events: readonly EngineEventPayload[]
  /** Those of the providers that a preview came to. */
  readonly plugins: ReadonlyMap<Urn, ToldPlugin>
  /** The first error that was told. */
  readonly firstError: DiagnosticEvent | undefined
  /** Whether a person pressed Ctrl-C. */
  readonly interrupted: boolean
}

async function runOnce(
  session: Session,
  starting: Starting,
  shown: DisplayOptions & { readonly plan?: string },
): Promise<Run> {
  const log = { target: shown.eventLog, cwd: session.cwd }
  const { display, close } = await loggedDisplay(session.tools, shown, log)
  const events: EngineEventPayload[] = []
  const plugins = new Map<Urn, ToldPlugin>()
  let firstError: DiagnosticEvent | undefined
  const emit: EventSink['emit'] = (event, states) => {
    if ('diagnosticEvent' in event && event.diagnosticEvent.severity === 'error')
      firstError ??= event.diagnosticEvent
    if ('policyEvent' in event && event.policyEvent.enforcementLevel === 'mandatory')
      firstError ??= violationOf(event.policyEvent)
    if (shown.dryRun) events.push(event)
    display.emit(event, states)
  }
  let interrupts = 0
  let stop = (): void => {}
  const interrupted = (): void => {
    interrupts += 1
    if (interrupts <= 2) emit(interruptNotice(interrupts))
    stop()
  }
  // Who serves leaves when it is interrupted, and cancels nothing.
  const release = starting.leave === undefined ? session.io.onInterrupt(interrupted) : () => {}
  try {
    const provider: EventSink['provider'] = (urn, plugin) => void plugins.set(urn, plugin)
    const sink = shown.dryRun ? { emit, provider } : { emit }
    const running = await starting.start(shown.dryRun, sink, shown.plan)
    stop = () => (interrupts === 1 ? running.cancel() : running.terminate())
    if (interrupts > 0) stop()
    const result = await running.done
    await display.finish(result)
    return { result, events, plugins, firstError, interrupted: interrupts > 0 }
  } finally {
    release()
    await close()
  }
}

/** A policy that is not kept to, as an error. */
function violationOf(policy: PolicyEvent): DiagnosticEvent {
  const { policyName, policyPackName, message, resourceUrn } = policy
  const text = `policy ${policyName} of ${policyPackName}: ${message}`
  const about = resourceUrn === undefined ? {} : { urn: resourceUrn }
  return { message: text, color: 'raw', severity: 'error', ...about }
}

/** Says that Ctrl-C was heard, and what another one would do. */
function interruptNotice(interrupts: number): EngineEventPayload {
  const message =
    interrupts === 1
      ? 'Stopping: nothing more is started, what runs is awaited. Ctrl-C again abandons it.'
      : 'Abandoning what runs: how it ends will not be known.'
  return { diagnosticEvent: { message: `${message}\n`, color: 'raw', severity: 'warning' } }
}

function check(
  run: Run,
  flags: Flags,
  about: { readonly isPreview: boolean; readonly expectNone: boolean },
): void {
  const what = about.isPreview ? 'preview' : 'deployment'
  const { result, hasChanges } = run.result
  if (result === 'cancelled' || (result === 'interrupted' && run.interrupted))
    throw error('DEPLOYMENT_CANCELLED', `the ${what} was cancelled`)
  if (result !== 'succeeded') throw failureOf(run, what)
  if (about.expectNone && hasChanges && flags.is('expectNoChanges'))
    throw error('CHANGES_UNEXPECTED', `no changes were expected, but the ${what} has some`)
}

/** Standard error tells the first error too, with its resource: the display may be elsewhere. */
function failureOf({ firstError, result: { pending } }: Run, what: string): Error {
  const hint =
    pending.length === 0
      ? {}
      : {
          hint:
            'First say what became of the pending operations (`antichain state pending ls`); ' +
            'then correct what the errors of the display name, and run the command again.',
        }
  if (firstError === undefined) return error('DEPLOYMENT_FAILED', `the ${what} failed`, hint)
  const { message, urn } = firstError
  const [first = '', next = ''] = message.trim().split('\n')
  // What only announces the sentence is not it.
  const line = first.endsWith(':') ? `${first} ${next.trim()}`.trim() : first
  const details = urn === undefined || urn === '' ? {} : { urn }
  return error('DEPLOYMENT_FAILED', `the ${what} failed: ${line}`, { ...hint, details })
}

async function askToGoOn(session: Session, preview: Run, details: DisplayOptions): Promise<void> {
  for (;;) {
    const question = `Do you want to perform this ${wordOf(details.kind)}? (yes, no, details)`
    const answer = (await session.io.ask(question)).trim().toLowerCase()
    if (answer === 'yes' || answer === 'y') return
    if (answer !== 'details')
      throw error('CONFIRMATION_DECLINED', `the ${wordOf(details.kind)} was not confirmed`)
    const display = await session.tools.display({ ...details, interactive: false })
    for (const event of preview.events) display.emit(event)
    await display.finish(preview.result)
  }
}

function wordOf(kind: DisplayOptions['kind']): string {
  return kind === 'up' ? 'update' : kind
}

function displayOptions(
  session: Session,
  flags: Flags,
  about: { readonly kind: OperationKind['command']; readonly stack: StackId },
): DisplayOptions {
  return {
    kind: about.kind,
    dryRun: false,
    json: flags.is('json'),
    digest: !isTruthy(session.io.env['PULUMI_ENABLE_STREAMING_JSON_PREVIEW']),
    eventLog: flags.text('eventLog'),
    diff: flags.is('diff'),
    color: session.color,
    interactive: session.interactive && !flags.is('json'),
    suppressOutputs: flags.is('suppressOutputs'),
    showSecrets: flags.is('showSecrets') || flags.text('showSecrets') === 'true',
    showSames: flags.is('showSames'),
    showReplacementSteps: flags.is('showReplacementSteps'),
    showReads: flags.is('showReads'),
    showConfig: flags.is('showConfig'),
    showPolicyRemediations: flags.is('showPolicyRemediations'),
    debug: flags.is('debug'),
    urns: flags.is('urns'),
    stack: stackPartsOf(about.stack).stack,
    stdout: session.io.stdout,
    stderr: session.io.stderr,
  }
}
