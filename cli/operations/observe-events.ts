import { stripVTControlCharacters } from 'node:util'
import type { DiagnosticEvent, EngineEventPayload } from '../../shared/engine/events/event.ts'
import type { PolicyEvent } from '../../shared/engine/events/policy-events.ts'

/** The facts that the final report of a deployment or preview needs from its events. */
export interface EventFacts {
  /** The first reported error. */
  readonly firstError: DiagnosticEvent | undefined
  /** The number of reported errors. */
  readonly errorCount: number
  /** The number of failed operations. */
  readonly failedCount: number
  /**
   * The line of the program's output that tells best why the program failed: the first one that
   * begins with `error`, or else the last one. '' without any output.
   */
  readonly outputLine: string
}

/** A collector of facts. `readRunningCount` returns the number of running operations. */
export interface EventObserver {
  readonly observe: (event: EngineEventPayload) => void
  readonly readFacts: () => EventFacts
  readonly readRunningCount: () => number
}

/** Creates a collector of facts about the events of one deployment or preview. */
export function createEventObserver(): EventObserver {
  let facts: EventFacts = { firstError: undefined, errorCount: 0, failedCount: 0, outputLine: '' }
  const runningUrns = new Set<string>()
  const addError = (event: DiagnosticEvent): void => {
    const { firstError = event, errorCount } = facts
    facts = { ...facts, firstError, errorCount: errorCount + 1 }
  }
  return {
    observe: event => {
      if ('diagnosticEvent' in event) {
        const { severity, message, urn = '' } = event.diagnosticEvent
        if (severity === 'error') addError(event.diagnosticEvent)
        else if (severity.startsWith('info') && urn === '')
          facts = { ...facts, outputLine: chooseLine(facts.outputLine, message) }
      }
      if ('policyEvent' in event && event.policyEvent.enforcementLevel === 'mandatory')
        addError(toViolationDiagnostic(event.policyEvent))
      if ('resourcePreEvent' in event) {
        const { urn, old, new: next } = event.resourcePreEvent.metadata
        if ((next ?? old)?.custom === true) runningUrns.add(urn)
      }
      if ('resOutputsEvent' in event) runningUrns.delete(event.resOutputsEvent.metadata.urn)
      if ('resOpFailedEvent' in event) {
        runningUrns.delete(event.resOpFailedEvent.metadata.urn)
        facts = { ...facts, failedCount: facts.failedCount + 1 }
      }
    },
    readFacts: () => facts,
    readRunningCount: () => runningUrns.size,
  }
}

/** Returns the line that tells best why a program failed: `earlierLine`, or one of `message`. */
function chooseLine(earlierLine: string, message: string): string {
  const isError = (line: string): boolean => /^error\b/i.test(line)
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
  return isError(earlierLine) ? earlierLine : (lines.find(isError) ?? lines.at(-1) ?? earlierLine)
}

/** Returns a policy violation as an error. */
function toViolationDiagnostic(policy: PolicyEvent): DiagnosticEvent {
  const { policyName, policyPackName, message, resourceUrn } = policy
  const text = `policy ${policyName} of ${policyPackName}: ${message}`
  const location = resourceUrn === undefined ? {} : { urn: resourceUrn }
  return { message: text, color: 'raw', severity: 'error', ...location }
}
