/** The events of a deployment that the page reads. docs/spec/events.md has all of them. */

/** The step of an event. Outputs of its states are not read. */
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
  /** The inputs, without secrets. */
  readonly inputs?: Readonly<Record<string, unknown>>
}

/** A message of a deployment. */
export interface EventMessage {
  readonly urn?: string
  readonly prefix?: string
  readonly message: string
  readonly severity: string
  readonly ephemeral?: boolean
}

/** An event. It has exactly one field: one of these, or one that the page does not read. */
export interface ShownEngineEvent {
  readonly resourcePreEvent?: { readonly metadata: EventStep; readonly planning?: boolean }
  readonly resOutputsEvent?: { readonly metadata: EventStep; readonly planning?: boolean }
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

/** The forecast of a preview: the expected waves and times of its deployment. */
export interface ShownForecast {
  readonly parallel: number
  readonly steps: number
  /** The number of steps in each wave. The list may be shorter than `waveCount`. */
  readonly waves: readonly number[]
  readonly waveCount: number
  readonly width: number
  /** The expected duration of the deployment in ms. */
  readonly wallMs: number
  /** The resources that the command does not delete. The list may be shorter than `keptCount`. */
  readonly kept: readonly { readonly urn: string; readonly reason: string }[]
  readonly keptCount: number
}

/**
 * The last message of the stream of a deployment or request. `removed`: the stack was removed
 * meanwhile. `previewed`: the request was a preview.
 */
export interface StreamEnd {
  readonly kind: 'deployed' | 'removed' | 'previewed'
  readonly forecast?: ShownForecast
  readonly result?: string
  readonly changes?: Readonly<Record<string, number>>
  readonly pending?: readonly { readonly urn: string; readonly type: string }[]
}
