import type {
  EngineEventPayload,
  EventSink,
  ReportedPlugin,
} from '../../shared/engine/events/event.ts'
import type { DeployResult } from '../../shared/engine/request.ts'
import type { Urn } from '../../shared/names/urn.ts'
import type { CliSession } from '../session/session.ts'
import type { DisplayOptions } from '../session/tools.ts'
import { createLoggedDisplay } from './event-log.ts'
import type { HistoryEstimate } from './history-estimate.ts'
import { createEventObserver, type EventFacts } from './observe-events.ts'
import { shortenShownError } from './operation-error.ts'
import type { PreparedOperation } from './prepared-operation.ts'

/** The options of a run. `updatePlan`: the text of the plan that constrains the deployment. */
export interface OperationRunOptions
  extends DisplayOptions,
    Pick<Partial<HistoryEstimate>, 'startEstimate'> {
  readonly updatePlan?: string
}

/** The result of a deployment or preview. `events` has the events of a preview only. */
export interface RunReport {
  readonly result: DeployResult
  readonly events: readonly EngineEventPayload[]
  /** The plugins of the providers in a preview. */
  readonly plugins: ReadonlyMap<Urn, ReportedPlugin>
  readonly facts: EventFacts
  /** Whether the user pressed Ctrl-C, or the process got SIGTERM. */
  readonly isInterruptedByUser: boolean
}

/** Runs a deployment or preview. The first Ctrl-C cancels it, a further one terminates it. */
export async function runWithDisplay(
  session: CliSession,
  preparedOperation: PreparedOperation,
  displayOptions: OperationRunOptions,
): Promise<RunReport> {
  const log = { target: displayOptions.eventLog, cwd: session.cwd }
  const { display, close: closeLog } = await createLoggedDisplay(session.tools, displayOptions, log)
  const events: EngineEventPayload[] = []
  const plugins = new Map<Urn, ReportedPlugin>()
  const observer = createEventObserver()
  const emit: EventSink['emit'] = (event, states) => {
    observer.observe(event)
    if (displayOptions.dryRun) events.push(event)
    display.emit(event, states)
  }
  let interruptCount = 0
  let stop = (): void => {}
  let endEstimate: (() => void) | undefined
  const onInterrupt = (): void => {
    interruptCount += 1
    if (interruptCount <= 2)
      emit(createInterruptNotice(interruptCount, observer.readRunningCount()))
    stop()
  }
  // An interrupted server cancels nothing, because other processes can continue the deployment.
  const removeInterruptHandler =
    preparedOperation.handOverSignal === undefined ? session.io.onInterrupt(onInterrupt) : () => {}
  try {
    const reportPlugin: EventSink['reportPlugin'] = (urn, plugin) => void plugins.set(urn, plugin)
    const sink = displayOptions.dryRun ? { emit, reportPlugin } : { emit }
    const deployment = await preparedOperation.start(
      displayOptions.dryRun,
      sink,
      displayOptions.updatePlan,
    )
    stop = () => (interruptCount === 1 ? deployment.cancel() : deployment.terminate())
    if (interruptCount > 0) stop()
    endEstimate = displayOptions.startEstimate?.(deployment)
    const result = await deployment.done
    await display.finish(result)
    const facts = observer.readFacts()
    return { result, events, plugins, facts, isInterruptedByUser: interruptCount > 0 }
  } catch (thrown) {
    display.abandon?.()
    const isShown = session.io.stdout.isTTY === true && !displayOptions.json
    throw isShown ? shortenShownError(thrown, observer.readFacts()) : thrown
  } finally {
    endEstimate?.()
    removeInterruptHandler()
    await closeLog()
  }
}

/** Returns the notice for the first or second Ctrl-C. */
function createInterruptNotice(interruptCount: number, runningCount: number): EngineEventPayload {
  const message =
    interruptCount === 1
      ? `Stopping: no new operations, ${describeWait(runningCount)}; press Ctrl-C again to abandon them.`
      : 'Abandoning running operations; their results stay unknown.'
  return { diagnosticEvent: { message: `${message}\n`, color: 'raw', severity: 'warning' } }
}

function describeWait(runningCount: number): string {
  if (runningCount === 0) return 'waiting for running ones'
  return runningCount === 1
    ? 'waiting for 1 running one'
    : `waiting for ${runningCount} running ones`
}
