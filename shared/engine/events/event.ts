/**
 * events: what a deployment tells while it runs: Pulumi's engine events, redacted, in JSON.
 * The display, `--json` and history use only this stream (docs/spec/events.md).
 */
import type { Urn } from '../../names/urn.ts'
import type { StepOp } from '../../records/operation.ts'
import type { PolicyPayload } from './policy-events.ts'
import type { WholeStates } from './whole-states.ts'

/** Where the events of a deployment go. Emission never waits and never throws. */
export interface EventSink {
  /** `states`: the whole states of the step that the event is about; nobody keeps them. */
  readonly emit: (event: EngineEventPayload, states?: () => WholeStates) => void
  /**
   * The plugin of each provider that a preview comes to, default ones too, of which there are no
   * events.
   */
  readonly provider?: ((urn: Urn, plugin: ReportedPlugin) => void) | undefined
}

/** Which plugin a provider is; '' = not said. */
export interface ReportedPlugin {
  readonly version: string
  readonly downloadUrl: string
}

/** An event as `--json` prints it: number, Unix seconds, one payload. */
export type EngineEvent = {
  readonly sequence: number
  readonly timestamp: number
} & EngineEventPayload

/** Exactly one of these. */
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
        readonly status: number
        readonly steps: number
      }
    }

export interface DiagnosticEvent {
  readonly urn?: string
  readonly prefix?: string
  readonly message: string
  readonly color: string
  readonly severity: 'debug' | 'info' | 'info#err' | 'warning' | 'error'
  readonly streamID?: number
  readonly ephemeral?: boolean
}

export interface SummaryEvent {
  readonly maybeCorrupt: boolean
  readonly durationSeconds: number
  readonly resourceChanges: Readonly<Record<string, number>>
  readonly PolicyPacks: Readonly<Record<string, string>>
  readonly isPreview: boolean
  readonly result: 'succeeded' | 'failed' | 'canceled'
}

/** What a step is about. `detailedDiff` null and {} differ. */
export interface StepMetadata {
  readonly op: StepOp
  readonly urn: string
  readonly type: string
  readonly old: StepState | null
  readonly new: StepState | null
  readonly keys?: readonly string[]
  readonly diffs?: readonly string[]
  readonly detailedDiff: Readonly<
    Record<string, { readonly diffKind: string; readonly inputDiff: boolean }>
  > | null
  readonly logical?: boolean
  readonly provider: string
}

/** A state as events show it: secrets are `[secret]`, text assets elided. */
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
  /** Paths whose differences are not shown. */
  readonly hideDiffs?: readonly string[]
}
