import { isProviderType, packageOf } from '../../names/provider-reference.ts'
import { parseUrn, type Urn } from '../../names/urn.ts'
import { messageOf } from '../../errors/error.ts'
import type { CallResult, Surroundings } from '../../providers/provider.ts'
import type { PackageRequest } from '../../providers/package-request.ts'
import type { PropertyMap } from '../../values/value.ts'
import { dependenciesOf, downgradeOutputs } from '../../values/walk.ts'
import { bail, Bail, type GeneratorContext } from './context.ts'
import { deniedMessage, deniedPackage } from './denied.ts'
import { type DefaultProviders, extensionFor } from './provider-resolution.ts'

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
}

/**
 * Calls a method and records what it answered, as with functions. The answer has no output values
 * any more: what they depend on is said apart. Source: `engine.md` 2.2.
 */
export async function callMethod(
  ctx: GeneratorContext,
  asked: MethodRequest,
  deps: { readonly defaults: DefaultProviders; readonly surroundings: Surroundings },
): Promise<CallResult> {
  const { token, args } = asked
  const named = referenceFor(ctx, asked)
  const provider = named === '' ? await deps.defaults.reference(asked.plugin) : named
  if (ctx.isAborted()) throw new Bail()
  const denied = deniedPackage(provider)
  if (denied !== undefined) throw new Error(deniedMessage(denied, token))
  const extension = extensionFor(ctx, asked.plugin)
  const argDependencies = withOutputs(args, asked.argDependencies)
  const words = [
    token,
    JSON.stringify([...argDependencies]),
    ...(extension === '' ? [] : [extension]),
  ]
  const key = ctx.digestOfCall({ kind: 'call', words, args, provider })
  try {
    return await ctx.runner.answer(key, async () => {
      const instance = await ctx.providers.instance(provider, extension)
      const { surroundings } = deps
      const about = { token, args, argDependencies, surroundings, preview: ctx.preview }
      const { outputs, failures, dependencies } = await instance.call(about)
      return {
        outputs: downgradeOutputs(outputs),
        failures,
        dependencies: withOutputs(outputs, dependencies ?? new Map()),
      }
    })
  } catch (thrown) {
    if (ctx.isAborted()) throw new Bail()
    return bail(ctx, `call to function '${token}' failed: ${messageOf(thrown)}`)
  }
}

/** The provider that the call names or its resource has; '' = the default one. */
function referenceFor(ctx: GeneratorContext, { token, self, provider }: MethodRequest): string {
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

/** Dependencies with those that output values inside have, for every property, sorted. */
function withOutputs(
  map: PropertyMap,
  dependencies: ReadonlyMap<string, readonly Urn[]>,
): ReadonlyMap<string, readonly Urn[]> {
  const all = new Map(dependencies)
  for (const [key, value] of map)
    all.set(key, [...new Set([...(all.get(key) ?? []), ...dependenciesOf(value)])])
  return new Map(
    [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, urns]) => [key, [...urns].sort()]),
  )
}
