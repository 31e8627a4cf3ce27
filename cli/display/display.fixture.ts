import type { StepMetadata, StepState } from '../../shared/engine/events/event.ts'
import { stackType } from '../../shared/names/urn.ts'
import type { StepOp } from '../../shared/records/operation.ts'
import type { OutputStream } from '../session/io.ts'
import type { DisplayOptions } from '../session/tools.ts'

/** The URN of the stack in the tests of displays. */
const stackUrn = `urn:pulumi:dev::site::${stackType}::site-dev`

/** Returns the URN of a resource of type `pkg:index:Thing`. */
export function thingUrnOf(name: string): string {
  return `urn:pulumi:dev::site::pkg:index:Thing::${name}`
}

/**
 * Returns the complete state of a custom resource, as events show it. `overrides`: the fields that
 * matter to a test.
 */
export function stateOf(name: string, overrides: Partial<StepState> = {}): StepState {
  return {
    type: 'pkg:index:Thing',
    urn: thingUrnOf(name),
    custom: true,
    id: `id-${name}`,
    parent: stackUrn,
    inputs: {},
    outputs: {},
    provider: 'urn:pulumi:dev::site::pulumi:providers:pkg::default::id',
    ...overrides,
  }
}

/** Returns the complete metadata of a step. */
export function metadataOf(
  op: StepOp,
  name: string,
  overrides: Partial<StepMetadata> = {},
): StepMetadata {
  return {
    op,
    urn: thingUrnOf(name),
    type: 'pkg:index:Thing',
    old: op === 'create' ? null : stateOf(name),
    new: op === 'delete' ? null : stateOf(name),
    detailedDiff: null,
    logical: true,
    provider: '',
    ...overrides,
  }
}

/** Returns the metadata of a step of the stack itself. */
export function createStackMetadata(
  op: StepOp,
  outputs: Readonly<Record<string, unknown>>,
  oldOutputs?: Readonly<Record<string, unknown>>,
): StepMetadata {
  const createState = (stateOutputs: Readonly<Record<string, unknown>>): StepState => ({
    type: stackType,
    urn: stackUrn,
    id: '',
    parent: '',
    inputs: {},
    outputs: stateOutputs,
    provider: '',
  })
  return {
    op,
    urn: stackUrn,
    type: stackType,
    old: oldOutputs === undefined ? null : createState(oldOutputs),
    new: createState(outputs),
    detailedDiff: null,
    provider: '',
  }
}

/** Creates an output stream that records its text. `terminal`: the properties of a terminal. */
export function createRecordingStream(terminal: Partial<OutputStream> = {}): OutputStream & {
  readonly text: () => string
} {
  const pieces: string[] = []
  return { ...terminal, write: text => pieces.push(text), text: () => pieces.join('') }
}

/** Returns the options of a plain display of `up` on stack dev, without colors. */
export function createTestDisplayOptions(overrides: Partial<DisplayOptions> = {}): DisplayOptions {
  return {
    kind: 'up',
    dryRun: false,
    json: false,
    summaryOnly: false,
    digest: false,
    eventLog: undefined,
    diff: false,
    color: false,
    interactive: false,
    suppressOutputs: false,
    showSecrets: false,
    showSames: false,
    showReplacementSteps: false,
    showReads: false,
    showConfig: false,
    showPolicyRemediations: false,
    debug: false,
    urns: false,
    verbose: false,
    stack: 'dev',
    stdout: createRecordingStream(),
    stderr: createRecordingStream(),
    ...overrides,
  }
}
