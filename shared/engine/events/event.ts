/**
 * events: Pulumi's engine events of a running deployment or preview, in JSON and without secrets
 * (docs/spec/events.md). The display and `--json` show only these events.
 */
import type { Urn } from '../../names/urn.ts'
import type { StepOp } from '../../records/operation.ts'
import type { PolicyPayload } from './policy-events.ts'
import type { PreviewDigestStates } from './preview-digest-states.ts'

/** The receiver of a deployment's events. Emission never waits and never throws. */
export interface EventSink {
  /** `states`: returns the complete states of the event's step. The states are not stored. */
  readonly emit: (event: EngineEventPayload, states?: () => PreviewDigestStates) => void
  /**
   * Receives the plugin of each provider, also of default providers, which have no events. Absent:
   * the receiver needs no plugins.
   */
  readonly reportPlugin?: ((urn: Urn, plugin: ReportedPlugin) => void) | undefined
}

/** The version and the download address of a provider's plugin. '': not specified. */
export interface ReportedPlugin {
  readonly version: string
  readonly downloadUrl: string
}

/** An event as `--json` prints it: its number, its time in Unix seconds, and one payload. */
export type EngineEvent = {
  readonly sequence: number
  readonly timestamp: number
} & EngineEventPayload

/** The payload of an event. Each payload has exactly one of these properties. */
export type EngineEventPayload =
  | { readonly cancelEvent: Record<string, never> }
  | { readonly stdoutEvent: { readonly message: string; readonly color: string } }
  | { readonly diagnosticEvent: DiagnosticEvent }
  | {
      readonly startDebuggingEvent: { readonly config: Readonly<Record<string, unknown>> }
    }
  | { readonly preludeEvent: { readonly config: Readonly<Record<string, string>> } }
  | { readonly summaryEvent: SummaryEvent }
  | PolicyPayload
  | { readonly resourcePreEvent: { readonly metadata: StepMetadata; readonly planning?: boolean } }
  | { readonly resOutputsEvent: { readonly metadata: StepMetadata; readonly planning?: boolean } }
  | {
      readonly resOpFailedEvent: {
        readonly metadata: StepMetadata
        /**
         * The effect of the failed provider call. 0: none. 1: the change, but the resource is not
         * initialized. 2: unknown.
         */
        readonly status: number
        /**
         * Number of steps that this generator run had counted for the summary when the event was
         * emitted.
         */
        readonly steps: number
      }
    }

/** A message to the user, from the engine, a provider or the program. */
export interface DiagnosticEvent {
  readonly urn?: string
  readonly prefix?: string
  readonly message: string
  readonly color: string
  readonly severity: 'debug' | 'info' | 'info#err' | 'warning' | 'error'
  /** The number of the stream to which the message belongs. The sender chooses it. */
  readonly streamID?: number
  /** Whether only a live display shows the message, for example a progress message. */
  readonly ephemeral?: boolean
}

/** The result of a deployment or preview. */
export interface SummaryEvent {
  /** Whether the result of a step is unknown. */
  readonly maybeCorrupt: boolean
  readonly durationSeconds: number
  /** Number of counted steps by kind. */
  readonly resourceChanges: Readonly<Record<string, number>>
  /** Name of each policy pack → version. */
  readonly PolicyPacks: Readonly<Record<string, string>>
  readonly isPreview: boolean
  readonly result: 'succeeded' | 'failed' | 'canceled'
}

/** The step of an event. `detailedDiff` null: the provider gave none. {}: it gave an empty one. */
export interface StepMetadata {
  readonly op: StepOp
  readonly urn: string
  readonly type: string
  readonly old: StepState | null
  readonly new: StepState | null
  /** The properties that require a replacement. */
  readonly keys?: readonly string[]
  /** The changed properties. */
  readonly diffs?: readonly string[]
  readonly detailedDiff: Readonly<
    Record<string, { readonly diffKind: string; readonly inputDiff: boolean }>
  > | null
  /**
   * Absent for a refresh and for the parts of a replacement, otherwise true. The `replace` step of
   * a replacement has the value true.
   */
  readonly logical?: boolean
  readonly provider: string
}

/** A state as events show it: secrets as `[secret]`, text assets shortened. */
export interface StepState {
  readonly type: string
  readonly urn: string
  readonly custom?: boolean
  readonly delete?: boolean
  readonly id: string
  readonly parent: string
  readonly protect?: boolean
  readonly taint?: boolean
  readonly external?: boolean
  readonly retainOnDelete?: boolean
  readonly inputs: Readonly<Record<string, unknown>>
  readonly outputs: Readonly<Record<string, unknown>>
  readonly provider: string
  readonly initErrors?: readonly string[]
  /** Paths whose differences are hidden. */
  readonly hideDiffs?: readonly string[]
}
