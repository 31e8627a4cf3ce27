import { providerUrnOf } from '../../../names/provider-reference.ts'
import { listDependencies } from '../../graph/closures.ts'
import type { Step } from '../../step.ts'
import { Bail, type GeneratorContext } from '../context.ts'

/**
 * Refuses steps that need what is not made because it is no target (error 2013). A deployment ends
 * with the first one; a preview goes on and names each missing resource once. Source:
 * docs/spec/step-generation.md#step-validation. What is left out by `--exclude` is refused as well,
 * where Pulumi writes a state with dependencies that it does not have.
 */
export function requireMadeDependencies(ctx: GeneratorContext, steps: readonly Step[]): void {
  const { sets, scope, preview } = ctx
  if (sets.skipped.size === 0) return
  const isByTarget = scope.targets.isConstrained || scope.replaces.isConstrained
  for (const { urn, next } of steps) {
    if (next === undefined) continue
    const provider = providerUrnOf(next.provider)
    const named = listDependencies(next).map(dependency => dependency.urn)
    for (const needed of provider === undefined ? named : [...named, provider]) {
      if (!sets.skipped.has(needed)) continue
      const reason = isByTarget
        ? 'which was was not specified in --target list.'
        : 'which is new and left out by --exclude.'
      ctx.emitter.report('error', `Resource '${urn}' depends on '${needed}' ${reason}`, urn)
      ctx.noteFailure()
      if (!preview) {
        ctx.abort()
        throw new Bail()
      }
      sets.skipped.delete(needed)
    }
  }
}
