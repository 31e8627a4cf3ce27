import { isProviderType, packageOf } from '../../../names/provider-reference.ts'
import { parseUrn, type Urn } from '../../../names/urn.ts'
import type { CallResult } from '../../../providers/provider.ts'
import type { DeploymentContext } from '../../../providers/component-construction.ts'
import type { PropertyMap } from '../../../values/value.ts'
import { downgradeOutputs } from '../../../values/special-values.ts'
import type { CallAnswer } from '../step-runner.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import type { PackageRequest } from '../../../providers/package-request.ts'
import { describeDenial, deniedPackageOf } from '../providers/denied-providers.ts'
import { toDecided, failDeployment, type Result, stoppedResult } from '../stage.ts'
import { addOutputDependencies } from './output-dependencies.ts'
import { describeProviderError } from './describe-provider-error.ts'
import { type DefaultProviders, registerCallExtension } from '../providers/default-providers.ts'

/** A method call of the program. */
export interface MethodRequest {
  readonly token: string
  /** Secret and unknown values may have the form of output values, with their dependencies. */
  readonly args: PropertyMap
  readonly argDependencies: ReadonlyMap<string, readonly Urn[]>
  readonly provider: string
  /** The resource whose method is called, if any. `urn` is '' if the request has no URN. */
  readonly self: { readonly urn: string; readonly id: string | undefined } | undefined
  readonly plugin: PackageRequest
  readonly stackTraceHandle: string
}

/** An address of the monitor for a single method call. */
export interface CallAddress {
  /** `127.0.0.1:<port>` */
  readonly address: string
  /**
   * Reports whether the method sent a request to this address, apart from the requests that SDKs
   * send on every connect.
   */
  readonly wasUsed: () => boolean
  /** Releases the address for another method call. */
  readonly close: () => void
}

/** The dependencies of a method call. */
export interface MethodDeps {
  readonly defaultProviders: DefaultProviders
  readonly deploymentContext: DeploymentContext
  readonly openAddress: () => Promise<CallAddress>
}

/**
 * Calls a method and records its answer. If the method sent requests to the monitor, each later
 * generator run repeats the call, so that the method registers its resources again. The program
 * then gets the recorded answer, not the new one. The outputs of an answer contain no output
 * values: their dependencies are in `dependencies`. An error of the provider ends the deployment.
 * Source: docs/spec/monitor.md#call.
 */
export async function callMethod(
  ctx: GeneratorContext,
  request: MethodRequest,
  deps: MethodDeps,
): Promise<Result<CallResult>> {
  const { ports } = ctx
  const { token, args } = request
  const explicitReference = findProviderReference(ctx.input, request)
  const referenceResult =
    explicitReference === ''
      ? await deps.defaultProviders.resolveReference(request.plugin)
      : toDecided(explicitReference)
  if (referenceResult.kind === 'failed') return referenceResult
  const provider = referenceResult.value
  if (ports.isAborted()) return stoppedResult
  const deniedPackage = deniedPackageOf(provider)
  if (deniedPackage !== undefined) throw new Error(describeDenial(deniedPackage, token))
  const extension = registerCallExtension(ctx, request.plugin)
  const argDependencies = addOutputDependencies(args, request.argDependencies)
  const parts = [
    token,
    JSON.stringify([...argDependencies]),
    ...(extension === '' ? [] : [extension]),
  ]
  const key = ports.callDigestOf({ kind: 'call', parts, args, provider })
  try {
    const answerPromise = ports.runner.answerCall(key, () =>
      callProviderMethod(ctx, { ...request, provider, argDependencies }, deps),
    )
    // An aborted deployment does not wait for a method that may never return. A later rejection
    // must not count as unhandled.
    answerPromise.catch(() => undefined)
    const result = await Promise.race([answerPromise, ports.whenAborted])
    if (result === undefined || ports.isAborted()) return stoppedResult
    return toDecided(result)
  } catch (thrown) {
    if (ports.isAborted()) return stoppedResult
    const problem = describeProviderError(thrown, args)
    return failDeployment(`call to function '${token}' failed: ${problem}`)
  }
}

async function callProviderMethod(
  ctx: GeneratorContext,
  request: MethodRequest,
  { deploymentContext, openAddress }: MethodDeps,
): Promise<CallAnswer> {
  const extension = registerCallExtension(ctx, request.plugin)
  const instance = await ctx.ports.providers.getInstance(request.provider, extension)
  const { token, args, argDependencies, stackTraceHandle } = request
  const callInput = { token, args, argDependencies, stackTraceHandle, preview: ctx.input.isPreview }
  const callAddress = await openAddress()
  try {
    const { outputs, failures, dependencies } = await instance.call({
      ...callInput,
      context: { ...deploymentContext, monitorAddress: callAddress.address },
    })
    return {
      outputs: downgradeOutputs(outputs),
      failures,
      dependencies: addOutputDependencies(outputs, dependencies ?? new Map()),
      shouldRepeat: callAddress.wasUsed(),
    }
  } finally {
    callAddress.close()
  }
}

/**
 * Returns the reference of the provider that serves the call. For a method of a provider resource,
 * this is the provider resource itself. Otherwise the provider of the request takes precedence over
 * the provider of the resource. '' stands for the default provider. Throws for an unknown resource.
 */
function findProviderReference(
  { sets }: Pick<DecisionInput, 'sets'>,
  { token, self, provider }: MethodRequest,
): string {
  if (isProviderType(token)) {
    if (!/^[^/]+\/[^/]+$/.test(packageOf(token)))
      throw new Error(`invalid provider method token ${token}`)
    if (self === undefined || self.urn === '' || self.id === undefined)
      throw new Error('missing __self__ argument for provider method call')
    return `${self.urn}::${self.id}`
  }
  if (provider !== '' || self === undefined) return provider
  if (self.urn === '') throw new Error('missing __self__.urn for method call')
  const goal = sets.goals.get(parseUrn(self.urn))
  if (goal === undefined) throw new Error(`unknown resource ${self.urn}`)
  return goal.provider
}
