import { isProviderType, packageOf } from '../../../names/provider-reference.ts'
import { parseUrn, type Urn } from '../../../names/urn.ts'
import type { CallResult } from '../../../providers/provider.ts'
import type { DeploymentContext } from '../../../providers/construct.ts'
import type { PropertyMap } from '../../../values/value.ts'
import { downgradeOutputs } from '../../../values/walk.ts'
import { type CallAnswer, bail, Bail, type GeneratorContext } from '../context.ts'
import type { PackageRequest } from '../../../providers/package-request.ts'
import { describeDenial, deniedPackageOf } from '../providers/denied-providers.ts'
import { addOutputDependencies } from './output-dependencies.ts'
import { describeProviderError } from './describe-provider-error.ts'
import { type DefaultProviders, registerCallExtension } from '../providers/resolve-provider.ts'

/** A method call of the program. */
export interface MethodRequest {
  readonly token: string
  /** Secrets and unknowns as output values too. */
  readonly args: PropertyMap
  readonly argDependencies: ReadonlyMap<string, readonly Urn[]>
  readonly provider: string
  /** The resource whose method it is, '' where the request names none. */
  readonly self: { readonly urn: string; readonly id: string | undefined } | undefined
  readonly plugin: PackageRequest
  readonly stackTraceHandle: string
}

/** An address of the monitor that one call has for itself, so that its requests are known. */
export interface CallAddress {
  readonly address: string
  /** Whether the method asked the monitor for something. */
  readonly wasUsed: () => boolean
  readonly close: () => void
}

/** What a method call needs. */
export interface MethodDeps {
  readonly defaults: DefaultProviders
  readonly runInfo: DeploymentContext
  readonly openAddress: () => Promise<CallAddress>
}

/**
 * Calls a method and records what it answered, as with functions. One that registers resources is
 * called again by each later life, so that they are registered there too, and its recorded answer
 * is given. The answer has no output values any more: what they depend on is said apart. Throws
 * `Bail` after a provider's error was told. Source: docs/spec/monitor.md#resourcemonitor.
 */
export async function callMethod(
  ctx: GeneratorContext,
  request: MethodRequest,
  deps: MethodDeps,
): Promise<CallResult> {
  const { token, args } = request
  const named = findProviderReference(ctx, request)
  const provider = named === '' ? await deps.defaults.resolveReference(request.plugin) : named
  if (ctx.isAborted()) throw new Bail()
  const denied = deniedPackageOf(provider)
  if (denied !== undefined) throw new Error(describeDenial(denied, token))
  const extension = registerCallExtension(ctx, request.plugin)
  const argDependencies = addOutputDependencies(args, request.argDependencies)
  const parts = [
    token,
    JSON.stringify([...argDependencies]),
    ...(extension === '' ? [] : [extension]),
  ]
  const key = ctx.callDigestOf({ kind: 'call', parts, args, provider })
  try {
    const answer = ctx.runner.answerCall(key, () =>
      requestMethod(ctx, { ...request, provider, argDependencies }, deps),
    )
    answer.catch(() => undefined)
    // A method that waits for what will not come any more is not waited for.
    const answered = await Promise.race([answer, ctx.aborted])
    if (answered === undefined || ctx.isAborted()) throw new Bail()
    return answered
  } catch (thrown) {
    if (ctx.isAborted()) throw new Bail()
    return bail(ctx, `call to function '${token}' failed: ${describeProviderError(thrown, args)}`)
  }
}

async function requestMethod(
  ctx: GeneratorContext,
  request: MethodRequest,
  { runInfo, openAddress }: MethodDeps,
): Promise<CallAnswer> {
  const extension = registerCallExtension(ctx, request.plugin)
  const instance = await ctx.providers.getInstance(request.provider, extension)
  const { token, args, argDependencies, stackTraceHandle } = request
  const callInput = { token, args, argDependencies, stackTraceHandle, preview: ctx.preview }
  const place = await openAddress()
  try {
    const { outputs, failures, dependencies } = await instance.call({
      ...callInput,
      context: { ...runInfo, monitorAddress: place.address },
    })
    return {
      outputs: downgradeOutputs(outputs),
      failures,
      dependencies: addOutputDependencies(outputs, dependencies ?? new Map()),
      shouldRepeat: place.wasUsed(),
    }
  } finally {
    place.close()
  }
}

/** The provider that the call names or its resource has; '' = the default one. */
function findProviderReference(
  ctx: GeneratorContext,
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
  const goal = ctx.sets.goals.get(parseUrn(self.urn))
  if (goal === undefined) throw new Error(`unknown resource ${self.urn}`)
  return goal.provider
}
