import type { ShownEngineEvent, EventMessage } from '../api/engine-events.ts'
import { stripControls } from '../format/strip-controls.ts'
import type { StateCounts } from './count-states.ts'
import { createRow, type OperationRow, type OperationState } from './operation-row.ts'
import { createRowTable, type RowTable } from './row-table.ts'

/** A message of the engine, a provider or the program, as the page shows it. */
export interface ShownMessage {
  readonly severity: string
  readonly text: string
  readonly urn: string | undefined
}

/** The state of a deployment that its events so far report. */
export interface ShownProgress {
  readonly rows: readonly OperationRow[]
  readonly counts: StateCounts
  readonly messages: readonly ShownMessage[]
  /** The number of messages beyond the maximum, which are not kept. */
  readonly omittedMessages: number
  /** The counts of the summary. Undefined before the summary. */
  readonly changes: Readonly<Record<string, number>> | undefined
}

/** The fold of the events of one deployment. */
export interface DeploymentFold extends Pick<RowTable, 'addOperations' | 'listStale'> {
  /** Adds events in their order. A repeated event of a step has no further effect. */
  readonly add: (events: readonly ShownEngineEvent[]) => void
  /** Returns the progress. It is the same object until events or operations are added. */
  readonly read: () => ShownProgress
}

/** Maximum number of messages that the page keeps. Later ones are only counted. */
const messagesMax = 2_000

/**
 * Creates the fold of a deployment without events. The fold is changed in place, because a copy of
 * 100,000 rows for each message of the stream would take too long.
 */
export function createDeploymentFold(): DeploymentFold {
  const table = createRowTable()
  const messages: ShownMessage[] = []
  let omittedMessages = 0
  let changes: ShownProgress['changes']
  let progress: ShownProgress | undefined
  const addMessage = (message: ShownMessage): void => {
    if (message.text === '') return
    if (messages.length < messagesMax) messages.push(message)
    else omittedMessages += 1
  }
  const addEvent = (event: ShownEngineEvent): void => {
    const [step, state] = stepOf(event)
    if (step !== undefined) table.setReported(createRow(step, state))
    const message = messageOf(event)
    if (message !== undefined) addMessage(message)
    if (event.summaryEvent !== undefined) changes = event.summaryEvent.resourceChanges
  }
  return {
    add(events) {
      for (const event of events) addEvent(event)
      progress = undefined
    },
    addOperations(operations) {
      if (operations.length === 0) return
      table.addOperations(operations)
      progress = undefined
    },
    listStale: store => table.listStale(store),
    read() {
      progress ??= {
        rows: table.listRows(),
        counts: table.readCounts(),
        messages: [...messages],
        omittedMessages,
        changes,
      }
      return progress
    },
  }
}

function stepOf({ resourcePreEvent, resOutputsEvent, resOpFailedEvent }: ShownEngineEvent) {
  if (resOpFailedEvent !== undefined) return [resOpFailedEvent.metadata, 'failed'] as const
  if (resOutputsEvent !== undefined)
    return [
      resOutputsEvent.metadata,
      resOutputsEvent.planning === true ? 'planned' : 'done',
    ] as const
  return [
    resourcePreEvent?.metadata,
    (resourcePreEvent?.planning === true ? 'planned' : 'running') satisfies OperationState,
  ] as const
}

/** Returns the message of an event. Progress messages, which only a terminal shows, are omitted. */
function messageOf(event: ShownEngineEvent): ShownMessage | undefined {
  const { diagnosticEvent, stdoutEvent, policyEvent } = event
  if (diagnosticEvent !== undefined && diagnosticEvent.ephemeral !== true)
    return diagnosticOf(diagnosticEvent)
  if (stdoutEvent !== undefined)
    return { severity: 'info', text: stripControls(stdoutEvent.message).trimEnd(), urn: undefined }
  if (policyEvent === undefined) return undefined
  const { enforcementLevel, policyName, message, resourceUrn } = policyEvent
  const severity = enforcementLevel === 'mandatory' ? 'error' : 'warning'
  const text = `policy ${policyName}: ${stripControls(message).trimEnd()}`
  return { severity, text, urn: resourceUrn }
}

/** Returns the message of a diagnostic. Output on stderr (`info#err`) is no error. */
function diagnosticOf({ severity, message, urn }: EventMessage): ShownMessage {
  const text = stripControls(message).trimEnd()
  return { severity: severity === 'info#err' ? 'info' : severity, text, urn }
}
