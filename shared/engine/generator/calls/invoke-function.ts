import { packageOf } from '../../../names/provider-reference.ts'
import type { Urn } from '../../../names/urn.ts'
import type { CallResult } from '../../../providers/provider.ts'
import { emptyMap, type PropertyMap } from '../../../values/value.ts'
import { messageOf } from '../../../errors/error.ts'
import type { PackageRequest } from '../../../providers/package-request.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import { describeDenial, deniedPackageOf } from '../providers/denied-providers.ts'
import { type DefaultProviders, registerCallExtension } from '../providers/default-providers.ts'
import { toDecided, type Result, stoppedResult } from '../stage.ts'
import { childProvidersOf } from './construct-component.ts'
import type { ResourceTree } from './resource-tree.ts'

/** A function call of the program. */
export interface FunctionRequest {
  readonly token: string
  readonly args: PropertyMap
  readonly provider: string
  readonly parent: Urn | ''
  readonly dependsOn: readonly Urn[]
  readonly plugin: PackageRequest
}

/**
 * Calls a function and records its answer. `unknown`: a dependency does not exist yet, so the
 * function was not called. Throws an error of the call, because the program may handle it and
 * continue. Source: docs/spec/monitor.md#invoke.
 */
export async function invokeFunction(
  ctx: GeneratorContext,
  request: FunctionRequest,
  deps: { readonly tree: ResourceTree; readonly defaultProviders: DefaultProviders },
): Promise<Result<CallResult | 'unknown'>> {
  const { input, ports } = ctx
  const inheritedProvider = childProvidersOf(ctx.input, { ...request, providers: noProviders }).get(
    packageOf(request.token),
  )
  const requestedProvider = request.provider || (inheritedProvider ?? '')
  const referenceResult =
    requestedProvider === ''
      ? await deps.defaultProviders.resolveReference(request.plugin)
      : toDecided(requestedProvider)
  if (referenceResult.kind === 'failed') return referenceResult
  const reference = referenceResult.value
  if (await deps.tree.isPending(request.dependsOn)) return toDecided('unknown')
  if (ports.isAborted()) return stoppedResult
  const deniedPackage = deniedPackageOf(reference)
  if (deniedPackage !== undefined) throw new Error(describeDenial(deniedPackage, request.token))
  const extension = registerCallExtension(ctx, request.plugin)
  const parts = extension === '' ? [request.token] : [request.token, extension]
  const identity = { parts, args: request.args, provider: reference }
  try {
    // The answer of `getResource` is not recorded, because every generator run has the resources of
    // the deployment in memory.
    if (request.token === 'pulumi:pulumi:getResource')
      return toDecided(getResource(ctx.input, request.args))
    const key = ports.callDigestOf({ kind: 'invoke', ...identity })
    const answer = await ports.runner.answerCall(key, async () => {
      const instance = await ports.providers.getInstance(reference, extension)
      return instance.invoke({ token: request.token, args: request.args, preview: input.isPreview })
    })
    return toDecided(answer)
  } catch (thrown) {
    throw new Error(`invocation of ${request.token} returned an error: ${messageOf(thrown)}`, {
      cause: thrown,
    })
  }
}

const noProviders: ReadonlyMap<string, string> = new Map()

/**
 * Returns the state of a view, or of a resource that this deployment registered or read. SDKs call
 * this function to resolve references to resources. Source:
 * docs/spec/providers.md#built-in-provider.
 */
function getResource({ sets }: Pick<DecisionInput, 'sets'>, args: PropertyMap): CallResult {
  const value = args.get('urn')
  const urn = typeof value === 'string' ? value : ''
  const { currentStates, views } = sets
  const state = currentStates.get(urn as Urn)?.state ?? views.get(urn as Urn)
  if (state === undefined) throw new Error(`unknown resource ${urn}`)
  const outputs = new Map<string, string | PropertyMap>([
    ['urn', state.urn],
    ['id', state.id],
    ['provider', state.provider],
    ['state', state.outputs ?? emptyMap],
  ])
  return { outputs, failures: [] }
}
