import { isProviderType, unknownStringMarker } from '../../../names/provider-reference.ts'
import type { Urn } from '../../../names/urn.ts'
import {
  createResourceState,
  type ResourceState,
  type StackFrame,
} from '../../../state/resource.ts'
import type { PackageRequest } from '../../../providers/package-request.ts'
import type { PropertyMap } from '../../../values/value.ts'
import { type Step, stepOf } from '../../step.ts'
import type { GeneratorContext } from '../context.ts'
import { finishStage } from '../finish-stage.ts'
import { assignUrn, type UrnAssignment } from '../registration/assign-urn.ts'
import { toDecided, failDeployment, failStep, type Result, type StageResult } from '../stage.ts'
import type { CallKeyFields } from '../registration/canonical-goal.ts'
import { describeDenial, deniedPackageOf } from '../providers/denied-providers.ts'
import type { DefaultProviders } from '../providers/default-providers.ts'
import { createStepEndsDelta } from '../steps/step-ends-delta.ts'
import { replayRecorded } from '../replay/replay-registration.ts'
import type { CurrentState } from '../sets.ts'
import { failIfDependencyFailed } from '../checks/failed-dependencies.ts'
import { refuseMissingDependencies } from '../checks/refuse-missing-dependencies.ts'

/**
 * A resource that the program reads by id. `isIdUnknown`: a preview does not know the id, and `id`
 * is ''.
 */
export interface ReadRequest {
  readonly type: string
  readonly name: string
  readonly id: string
  readonly isIdUnknown: boolean
  readonly parent: Urn | ''
  readonly properties: PropertyMap
  readonly dependencies: readonly Urn[]
  readonly provider: string
  readonly plugin: PackageRequest
  readonly additionalSecretOutputs: readonly string[]
  readonly sourcePosition: string
  readonly stackTrace: readonly StackFrame[]
}

/** Decides and runs a read. Source: docs/spec/step-generation.md#reads. */
export async function readResource(
  ctx: GeneratorContext,
  request: ReadRequest,
  defaultProviders: DefaultProviders,
): Promise<StageResult<CurrentState>> {
  const { input } = ctx
  const referenceResult =
    request.provider === ''
      ? await defaultProviders.resolveReference(request.plugin)
      : toDecided(request.provider)
  if (referenceResult.kind !== 'decided') return referenceResult
  const provider = referenceResult.value
  const deniedPackage = deniedPackageOf(provider)
  // Pulumi's message of a read has the type twice (ReadResource in source_eval.go, v3.260.0).
  if (deniedPackage !== undefined) throw new Error(describeDenial(request.type, request.type))

  const assignmentResult = finishStage(ctx, assignUrn(input, { ...request, aliases: [] }))
  if (assignmentResult.kind !== 'decided') return assignmentResult
  const assignment = assignmentResult.value

  const readableResult = requireReadable(request, assignment.urn)
  if (readableResult.kind !== 'decided') return readableResult

  const result = await decideRead(ctx, request, { assignment, provider })
  if (result.kind !== 'failed') return result
  // With `--continue-on-error`, dependents of the failed read are skipped.
  return { ...result, delta: { ...result.delta, failedUrns: [assignment.urn] } }
}

/** Answers a read from its record, or decides and runs it. */
async function decideRead(
  ctx: GeneratorContext,
  request: ReadRequest,
  { assignment, provider }: { readonly assignment: UrnAssignment; readonly provider: string },
): Promise<StageResult<CurrentState>> {
  const { input, ports } = ctx
  const goalDigest = ports.callDigestOf(createReadKey(request, provider))
  const replayResult = await replayRecorded(ctx, assignment, goalDigest)
  if (replayResult.kind !== 'decided') return replayResult

  const next = createReadState(request, assignment, provider)
  const dependenciesResult = refuseMissingDependencies(input, assignment.urn, next)
  if (dependenciesResult.kind !== 'decided') return dependenciesResult

  const stepsResult = finishStage(ctx, decideReadSteps(assignment, next, request.id))
  if (stepsResult.kind !== 'decided') return stepsResult
  const steps = stepsResult.value

  const failureCheck = failIfDependencyFailed(input, steps)
  if (failureCheck.kind !== 'decided') return failureCheck
  return runRead(ctx, { assignment, goalDigest, steps })
}

function requireReadable({ type, id, isIdUnknown }: ReadRequest, urn: Urn): Result<void> {
  if (isProviderType(type)) return failDeployment('provider resources may not be read', urn)
  if (id === '' && !isIdUnknown) return failDeployment(`Expected an ID for ${urn}`, urn)
  return toDecided(undefined)
}

function createReadState(
  request: ReadRequest,
  assignment: UrnAssignment,
  provider: string,
): ResourceState {
  return createResourceState({
    urn: assignment.urn,
    type: request.type,
    custom: true,
    external: true,
    id: request.isIdUnknown ? unknownStringMarker : request.id,
    aliases: assignment.alias === undefined ? [] : [assignment.alias],
    inputs: request.properties,
    parent: request.parent,
    dependencies: request.dependencies,
    provider,
    additionalSecretOutputs: request.additionalSecretOutputs,
    sourcePosition: request.sourcePosition,
    stackTrace: request.stackTrace,
  })
}

/**
 * Decides the steps of a read. If the old resource is managed and has another id, the read resource
 * replaces it.
 */
function decideReadSteps(
  { urn, old, baseIndex }: UrnAssignment,
  next: ResourceState,
  id: string,
): Result<readonly Step[]> {
  const delta = { handledUrns: [urn] }
  if (old === undefined) return toDecided([stepOf({ op: 'read', effect: 'add', next })], delta)
  if (baseIndex === undefined || old.state.external || old.state.id === id)
    return toDecided([stepOf({ op: 'read', effect: 'replace', old, next })], delta)
  const steps = [
    stepOf({ op: 'read-replacement', effect: 'add-mark', old, next }),
    stepOf({ op: 'replace', effect: 'none', old, next }),
  ]
  return toDecided(steps, { ...delta, replaced: [urn] })
}

async function runRead(
  ctx: GeneratorContext,
  read: {
    readonly assignment: UrnAssignment
    readonly goalDigest: string
    readonly steps: readonly Step[]
  },
): Promise<Result<CurrentState>> {
  const { assignment, goalDigest, steps } = read
  const { urn, alias } = assignment
  const setsDelta = alias === undefined ? {} : { aliased: [[alias, urn] as const] }
  const ends = await ctx.ports.runner.run({ urn, goalDigest, steps, setsDelta })
  ctx.apply(createStepEndsDelta(steps, ends))
  const endedRead = ends[0]
  if (endedRead?.trackedState === undefined || endedRead.end.verdict !== 'succeeded')
    return failStep(ctx.input)
  const current = { ...endedRead.trackedState, op: endedRead.step.op }
  return toDecided(current, { currentStates: [[urn, current]] })
}

/** Returns the identity of a read. The source position is not part of the identity. */
function createReadKey(request: ReadRequest, provider: string): CallKeyFields {
  const { type, name, id, parent, properties } = request
  return { kind: 'read', parts: [type, name, id, parent], args: properties, provider }
}
