/** The events of a deployment that the page reads. docs/spec/events.md has all of them. */

/** The step of an event. Inputs and outputs of its states are not read. */
export interface EventStep {
  readonly op: string
  readonly urn: string
  readonly type: string
  /** The changed properties. */
  readonly diffs?: readonly string[] | null
  readonly old?: EventState | null
  readonly new?: EventState | null
}

/** The part of a state that the page reads. */
interface EventState {
  /** The URN of the parent, or ''. */
  readonly parent?: string
}

/** A message of a deployment. */
export interface EventMessage {
  readonly urn?: string
  readonly prefix?: string
  readonly message: string
  readonly severity: string
  readonly ephemeral?: boolean
}

/** An event. Exactly one of these fields, or another one, is set. */
export interface EngineEventFields {
  readonly resourcePreEvent?: { readonly metadata: EventStep }
  readonly resOutputsEvent?: { readonly metadata: EventStep }
  readonly resOpFailedEvent?: { readonly metadata: EventStep }
  readonly diagnosticEvent?: EventMessage
  readonly stdoutEvent?: { readonly message: string }
  readonly policyEvent?: {
    readonly resourceUrn?: string
    readonly message: string
    readonly policyName: string
    readonly enforcementLevel: string
  }
  readonly summaryEvent?: {
    readonly resourceChanges: Readonly<Record<string, number>>
    readonly durationSeconds: number
    readonly result?: string
  }
}

/** The last message of the stream of a deployment. `removed`: the stack was removed meanwhile. */
export interface StreamEnd {
  readonly kind: 'deployed' | 'removed'
  readonly result?: string
  readonly changes?: Readonly<Record<string, number>>
  readonly pending?: readonly { readonly urn: string; readonly type: string }[]
}
