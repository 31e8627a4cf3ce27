import type { DiagnosticEvent, StepMetadata } from '../../shared/engine/events/event.ts'
import type { PreviewDigestStates } from '../../shared/engine/events/preview-digest-states.ts'
import { isStackUrn } from '../../shared/names/urn.ts'
import type { Json } from '../../shared/values/json.ts'
import { compareUtf8, escapeForHtml } from '../../shared/values/go-json.ts'
import type { Display, DisplayOptions } from '../session/tools.ts'

/** One step of a preview digest. Its fields are in print order. */
interface DigestStep {
  readonly op: string
  readonly urn: string
  readonly provider?: string
  readonly oldState?: unknown
  readonly newState?: unknown
  /** The names of the changed properties. */
  readonly diffReasons?: readonly string[]
  /** The names of the properties that require a replacement. */
  readonly replaceReasons?: readonly string[]
  readonly detailedDiff: unknown
}

/** One message of a preview digest. */
interface DigestDiagnostic {
  readonly urn?: string
  readonly message: string
  readonly severity: string
}

type DigestOptions = Pick<
  DisplayOptions,
  'stdout' | 'suppressOutputs' | 'showSames' | 'showReplacementSteps'
>

/**
 * Creates the display of `preview --json`. At the end of the preview it prints one JSON object:
 * configuration, steps, messages, duration in ns, and counts. The last field is the forecast, which
 * Pulumi's digest lacks. Steps have their whole states. With `suppressOutputs`, the state of the
 * stack has neither inputs nor outputs. Secrets are `[secret]`. If a refresh finds drift, the
 * resulting update or delete is shown in place of the refresh. Source: `ShowPreviewDigest` in
 * pkg/backend/display/json.go of Pulumi 3.274.1.
 */
export function createDigestDisplay(
  options: DigestOptions,
  nowNs: () => bigint = () => process.hrtime.bigint(),
): Display {
  const startNs = nowNs()
  const steps: DigestStep[] = []
  const refreshedUrns = new Set<string>()
  const diagnostics: DigestDiagnostic[] = []
  let config: Readonly<Record<string, string>> = {}
  let changes: Readonly<Record<string, number>> = {}
  let maybeCorrupt = false
  const addStep = (metadata: StepMetadata, states: PreviewDigestStates | undefined): void => {
    if (!isShown(metadata, options)) return
    if (metadata.op === 'refresh') refreshedUrns.add(metadata.urn)
    steps.push(toDigestStep(metadata, states, options))
  }
  const replaceRefreshStep = (
    metadata: StepMetadata,
    states: PreviewDigestStates | undefined,
  ): void => {
    const isDrift =
      (metadata.op === 'update' && metadata.detailedDiff !== null) || metadata.op === 'delete'
    if (!isDrift || !refreshedUrns.has(metadata.urn)) return
    const index = steps.findIndex(({ urn }) => urn === metadata.urn)
    steps[index] = toDigestStep(metadata, states, options)
  }
  return {
    emit(event, states) {
      if ('preludeEvent' in event) config = event.preludeEvent.config
      else if ('diagnosticEvent' in event)
        diagnostics.push(...toDigestDiagnostics(event.diagnosticEvent))
      else if ('stdoutEvent' in event)
        diagnostics.push({ message: event.stdoutEvent.message, severity: 'info' })
      else if ('resourcePreEvent' in event) addStep(event.resourcePreEvent.metadata, states?.())
      else if ('resOutputsEvent' in event)
        replaceRefreshStep(event.resOutputsEvent.metadata, states?.())
      else if ('summaryEvent' in event) {
        changes = event.summaryEvent.resourceChanges
        maybeCorrupt = event.summaryEvent.maybeCorrupt
      }
    },
    finish({ forecast }) {
      const digest = {
        ...(Object.keys(config).length > 0 ? { config: sortKeys(config) } : {}),
        ...(steps.length > 0 ? { steps } : {}),
        ...(diagnostics.length > 0 ? { diagnostics } : {}),
        duration: Number(nowNs() - startNs),
        ...(Object.keys(changes).length > 0 ? { changeSummary: sortKeys(changes) } : {}),
        ...(maybeCorrupt ? { maybeCorrupt } : {}),
        ...(forecast === undefined ? {} : { forecast }),
      }
      options.stdout.write(`${escapeForHtml(JSON.stringify(digest, null, 4))}\n`)
    },
  }
}

function toDigestDiagnostics(event: DiagnosticEvent): readonly DigestDiagnostic[] {
  if (event.ephemeral === true || event.severity === 'debug') return []
  const urn = event.urn === undefined || event.urn === '' ? {} : { urn: event.urn }
  return [{ ...urn, message: (event.prefix ?? '') + event.message, severity: event.severity }]
}

/**
 * Reports whether a step is shown. The stack is always shown. Unchanged resources are shown on
 * request, or when their protection changes. Of a replacement, the step `replace` is always shown,
 * because its event is `logical`. The other steps of the replacement are shown on request.
 */
function isShown(metadata: StepMetadata, options: DigestOptions): boolean {
  if (isStackUrn(metadata.urn)) return true
  if (metadata.op === 'same')
    return options.showSames || metadata.old?.protect !== metadata.new?.protect
  return (
    options.showReplacementSteps || metadata.logical === true || !replacementOps.has(metadata.op)
  )
}

const replacementOps: ReadonlySet<string> = new Set([
  'replace',
  'create-replacement',
  'delete-replaced',
  'read-replacement',
  'discard-replaced',
  'import-replacement',
])

function toDigestStep(
  metadata: StepMetadata,
  states: PreviewDigestStates | undefined,
  options: DigestOptions,
): DigestStep {
  const { op, urn, provider, diffs = [], keys = [] } = metadata
  const isHidden = options.suppressOutputs && isStackUrn(urn)
  const oldState = visibleStateOf(states?.old ?? metadata.old, isHidden)
  const newState = visibleStateOf(states?.new ?? metadata.new, isHidden)
  return {
    op,
    urn,
    ...(provider === '' ? {} : { provider }),
    ...(oldState === undefined ? {} : { oldState }),
    ...(newState === undefined ? {} : { newState }),
    ...(diffs.length > 0 ? { diffReasons: diffs } : {}),
    ...(keys.length > 0 ? { replaceReasons: keys } : {}),
    detailedDiff: detailedDiffOf(metadata),
  }
}

function visibleStateOf(state: object | null | undefined, isHidden: boolean): object | undefined {
  if (state === null || state === undefined) return undefined
  if (!isHidden) return state
  return Object.fromEntries(
    Object.entries(state).filter(([field]) => field !== 'inputs' && field !== 'outputs'),
  )
}

function detailedDiffOf({ detailedDiff }: StepMetadata): Json {
  if (detailedDiff === null) return null
  const kinds = Object.entries(detailedDiff).map(([path, { diffKind, inputDiff }]) => [
    path,
    { kind: diffKind, inputDiff },
  ])
  return sortKeys(Object.fromEntries(kinds) as Readonly<Record<string, Json>>)
}

function sortKeys<T>(map: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => compareUtf8(a, b)))
}
